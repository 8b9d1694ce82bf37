import { createMessageTools, type Word } from '../messages'

const { number, plural } = createMessageTools('en-GB')

/** Texts about pictures that the server stores. */
export const pictures = {
  choose: 'Choose a picture',
  takePhoto: 'Take a photo',
  remove: 'Remove picture',
  isRemoved: 'Picture removed',
  isSaved: 'Picture saved',
  crop: 'Crop the picture',
  cropped: 'What will be shown',
  cropMore: 'Drag the picture to move it, pinch to zoom, or use the sliders.',
  zoom: 'Zoom',
  leftRight: 'Left and right',
  upDown: 'Up and down',
  orAddress: 'Or enter the address of a picture that is on the web.',
  publicMore: 'Everyone who knows the address of a picture can open it.',

  notPicture: 'This isn’t a picture we can read, or it’s too large. Try a PNG, JPEG, WebP or GIF.',
  noPublicUrl:
    'This server can’t store pictures, because it doesn’t know its public address. The person who runs it can set PUBLIC_URL.',
  isFull: 'There’s no room left for pictures. Remove some, and try again.',

  archive: 'Pictures from Simply Plural',
  archiveMore: (word: Word) =>
    `If you have the avatar archive of your account (Avatars_….zip), choose it here. It has the pictures of your ${word.many}, custom fronts and system.`,
  chooseArchive: 'Choose the avatar archive',
  notArchive: 'We can’t read this file. Choose the .zip file with your avatars.',
  sending: (done: number, total: number) => `Picture ${number(done)} of ${number(total)}…`,
  reading: 'Reading the archive…',
  stop: 'Stop',
  stored: (count: number) =>
    plural(count, {
      one: `${number(count)} picture saved`,
      other: `${number(count)} pictures saved`,
    }),
  skipped: (count: number) => `Skipped (${number(count)})`,
  reasons: {
    tooMany: 'more than 5,000 files',
    tooLarge: 'larger than 8 MB',
    unsupported: 'packed in a way we can’t read',
    damaged: 'damaged',
    unknown: 'no imported member has this ID',
    notPicture: 'not a picture, or too many pixels',
    refused: 'too large for this server',
  },
  line: (name: string, reason: string) => `${name}: ${reason}`,
}
