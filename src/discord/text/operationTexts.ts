/** Sentences about actions on proxied messages. */
export const operationTexts = {
  notFound: 'I do not know this message.',
  gone: 'This message does not exist any more.',
  notAllowed: 'Discord did not let me do that. I may lack a permission in that channel.',
  tooSoon: 'You have pinged this author already. Please wait a minute.',
  pingsDisabled: 'The author of this message does not want to be pinged through it.',
  channelDisabled: 'Proxying is switched off in that channel.',
  sayRepeated: 'This was sent already.',
  slowmode: (seconds: number) => `Slow mode is on in this channel. Please wait ${seconds} seconds.`,
  pinged: (sender: string, pinger: string, link: string) =>
    `Psst, <@${sender}>, <@${pinger}> mentioned you: ${link}`,
  sentBy: 'Sent by',
  system: 'System',
  member: 'Member',
  sentAt: 'Sent',
  deletedMember: 'Deleted member',
}
