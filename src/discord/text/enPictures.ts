import { plural } from './format'

/** Texts about pictures that are copied from Discord. */
export const pictureTexts = {
  pictureStays: (source: 'message' | 'avatar', reason: string) =>
    source === 'message'
      ? `⚠️ If you delete your message, the picture stops working: ${reason}.`
      : `⚠️ If the account changes its avatar, the picture stops working: ${reason}.`,
  picturesStay: (count: number, reason: string) =>
    `⚠️ ${plural(count, 'picture is', 'pictures are')} still on Discord and may stop working: ${reason}.`,
  noPictureStore: 'this bot cannot store pictures, because its operator has not set PUBLIC_URL',
  pictureTooLarge: 'it is too large to be stored',
  pictureUnreadable: 'it is not a picture that can be stored',
  pictureNotDownloaded: 'Discord did not send it',
  picturesFull: 'your system has no room for more pictures',
  picturesCopying: (count: number) =>
    `${plural(count, 'picture is', 'pictures are')} being copied from Discord. You get a direct message when that is done.`,
  picturesCopied: (copied: number, left: number) =>
    [
      `✅ ${plural(copied, 'picture of your import was', 'pictures of your import were')} copied from Discord.`,
      ...(left === 0
        ? []
        : [
            `⚠️ ${plural(left, 'picture was', 'pictures were')} not copied, because Discord did not send them, they are too large, or there is no room. They keep their addresses and may stop working.`,
          ]),
    ].join('\n'),
}
