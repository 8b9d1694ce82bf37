/** Types of Discord channels that the bot distinguishes. */
export const ChannelType = {
  Text: 0,
  DirectMessage: 1,
  Voice: 2,
  Category: 4,
  Announcement: 5,
  AnnouncementThread: 10,
  PublicThread: 11,
  PrivateThread: 12,
  Stage: 13,
  Forum: 15,
  Media: 16,
} as const

export function isThread(type: number): boolean {
  return (
    type === ChannelType.AnnouncementThread ||
    type === ChannelType.PublicThread ||
    type === ChannelType.PrivateThread
  )
}
