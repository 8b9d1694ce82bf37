/** Sentences about actions on proxied messages. */
export const operationTexts = {
  notFound: 'I do not know this message.',
  gone: 'This message does not exist any more.',
  notAllowed: 'Discord did not let me do that. I may lack a permission in that channel.',
  tooSoon: 'You have pinged this author already. Please wait a minute.',
  /** Takes the account, so that the reader can copy its mention. */
  pingsDisabled: (sender: string) =>
    `This system does not want to be pinged by reactions. To mention the account yourself, copy this: \`<@${sender}>\``,
  /** Takes the time of the end in seconds since 1970. */
  slowmode: (endsAt: number) =>
    `Slow mode is on in this channel. You can write again <t:${endsAt}:R>.`,
  /** Takes the name that a proxied message shows, escaped. */
  proxiedAs: (name: string) => `It was proxied as **${name}**.`,
  /** Takes the name that the message shows, escaped. */
  pinged: (name: string, sender: string, pinger: string, link: string) =>
    `Psst, **${name}** (<@${sender}>): <@${pinger}> pinged you. ${link}`,
}
