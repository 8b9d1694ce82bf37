import { createMessageTools, type Word } from '../messages'

const { number, plural } = createMessageTools('en')

/** Texts of System. */
export const system = {
  // The system itself.
  publicPage: 'What others see',
  noName: 'No name yet',
  settings: 'Settings',
  changeSettings: 'Change settings',
  allDefaults: 'All defaults.',
  toPrivacy: 'Choose what else others can see',
  time: 'Time',
  proxying: 'Proxying',
  newOnes: (word: Word) => `New ${word.many} and groups`,
  shownByBots: 'Shown by bots',
  thisDevice: (zone: string) => `This device: ${zone}`,
  template: (at: number) => `Template ${number(at)}`,
  templates: (count: number) =>
    plural(count, { one: '1 template', other: `${number(count)} templates` }),
  choices: {
    off: 'Off',
    left: 'Padded on the left',
    right: 'Padded on the right',
    new: 'Switch to them',
    add: 'Add them alongside',
  },
  switchOff: 'Do nothing',
  latchDefault: (length: string) => `${length} (default)`,
  latchNever: 'Never',
  on: 'On',
  off: 'Off',

  // The webhook.
  webhook: 'Webhook',
  webhookMore: 'Send events to a URL.',
  address: 'Address',
  addWebhook: 'Add webhook',
  noAddress: 'Enter an address.',
  states: {
    none: 'No webhook yet.',
    pending: 'Not verified yet. Nothing is sent until it is verified.',
    active: 'Active: every event is sent.',
    disabled: 'Stopped.',
  },
  stopped: (why: string) => `Stopped: ${why}`,
  failingSince: (ago: string) => `It has been failing since ${ago}.`,
  expired: (count: number) =>
    plural(count, { one: '1 event expired.', other: `${number(count)} events expired.` }),
  signingToken: 'Signing token',
  signingMore:
    'Every delivery carries it, so that your receiver can check it. Copy it now. You won’t see it again.',
  verify: 'Verify',
  isVerified: 'The webhook is active.',
  resume: 'Resume',
  sendTest: 'Send a test',
  testAnswered: (status: number) => `The receiver answered ${status}.`,
  testFailed: (why: string) => `No answer: ${why}`,
  deleteAsk: 'Delete the webhook?',
  deleteEffect: 'Nothing more is sent. Waiting events and the signing token are deleted, too.',
  isDeleted: 'Webhook deleted.',
  log: 'Last deliveries',
  noDeliveries: 'Nothing sent yet.',
  when: 'When',
  what: 'What',
  answer: 'Answer',
  attempt: (answer: string, attempt: number) => `${answer} · attempt ${number(attempt)}`,

  // Accounts.
  accounts: 'Linked accounts',
  accountsMore: (word: Word) =>
    `Messages from these accounts can be proxied as your ${word.many}. To unlink an account, use its bot.`,
  noAccounts: 'No accounts yet.',
  platformOf: (platform: string) => `on ${platform}`,
  link: 'Link another account',
  linkMore:
    'Get a code and give it to the bot there. Your token is needed because a linked account can get a token of its own. It is used once and stored nowhere.',
  getCode: 'Get a code',
  code: 'Code',
  codeMore: (time: string) => `Give it to the bot. It works once, until ${time}.`,
  limitedToken: 'This token doesn’t have full access.',
  foreignToken: 'This token belongs to another system.',
}
