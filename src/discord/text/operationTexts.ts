/** Sentences about actions on proxied messages. */
export const operationTexts = {
  notFound: 'I do not know this message.',
  gone: 'This message does not exist any more.',
  notAllowed: 'Discord did not let me do that. I may lack a permission in that channel.',
  tooSoon: 'You have pinged this author already. Please wait a minute.',
  pingsDisabled: 'The author of this message does not want to be pinged through it.',
  /** Takes the time of the end in seconds since 1970. */
  slowmode: (endsAt: number) =>
    `Slow mode is on in this channel. You can write again <t:${endsAt}:R>.`,
  pinged: (sender: string, pinger: string, link: string) =>
    `Psst, <@${sender}>, <@${pinger}> mentioned you: ${link}`,
}
