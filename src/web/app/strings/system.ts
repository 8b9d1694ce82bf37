/** Texts of System. */
export const systemStrings = {
  // The system itself.
  publicPage: 'What everyone sees',
  noName: 'No name yet',
  editSystem: 'Edit',
  settings: 'Settings',
  changeSettings: 'Change settings',
  allUsual: 'All is as usual.',
  ofSettings: 'settings',
  moreLevels: 'What else others may see is set under',
  time: 'Time',
  proxying: 'Proxying',
  newOnes: 'What is made through a bot',
  shownByBots: 'How a bot shows us',
  thisDevice: (zone: string) => `This device: ${zone}`,
  template: (at: number) => `Template ${at}`,
  choices: {
    off: 'Off',
    left: 'Padded on the left',
    right: 'Padded on the right',
    new: 'Who spoke is here alone',
    add: 'Who spoke joins',
  } as Readonly<Record<string, string>>,
  switchOff: 'Nothing',
  latchUsual: (length: string) => `${length}, as usual`,
  latchNever: 'For ever',
  on: 'On',
  off: 'Off',

  // The webhook.
  webhook: 'Webhook',
  webhookMore:
    'A program of yours is told of everything that happens here, at an address on the web.',
  address: 'Address',
  register: 'Register',
  noAddress: 'Type the address that is told.',
  states: {
    none: 'There is none.',
    pending: 'Not verified yet: nothing is sent before its receiver has proven itself.',
    active: 'Active: it is told of everything.',
    disabled: 'Stopped.',
  },
  stopped: (why: string) => `Stopped: ${why}`,
  failingSince: (ago: string) => `Its receiver has been failing since ${ago}.`,
  dropped: (count: number) =>
    count === 1
      ? 'One event waited too long and went.'
      : `${count} events waited too long and went.`,
  signingToken: 'Signing token',
  signingMore: 'Every delivery carries it, and your receiver checks it. It is shown this once.',
  verify: 'Verify',
  isVerified: 'The webhook is active.',
  goOn: 'Go on',
  sendTest: 'Send a test',
  testAnswered: (status: number) => `The receiver answered ${status}.`,
  testFailed: (why: string) => `No answer: ${why}`,
  remove: 'Remove',
  removeAsk: 'Remove the webhook?',
  removeEffect: 'Nothing more is sent, and what waited is forgotten. The signing token ends, too.',
  isRemoved: 'The webhook is removed.',
  log: 'Last deliveries',
  noDeliveries: 'Nothing was sent yet.',
  when: 'When',
  what: 'What',
  answer: 'Answer',
  attempt: (attempt: number) => (attempt > 1 ? ` · attempt ${attempt}` : ''),

  // Accounts.
  accounts: 'Linked accounts',
  accountsMore:
    'Who writes from one of these is one of us. An account is unlinked through its bot.',
  noAccounts: 'There are none yet.',
  platformOf: (platform: string) => `on ${platform}`,
  link: 'Link another account',
  linkMore:
    'Tell the bot there a code. It is made with your token, because whoever has a linked account can get a token of their own. It is used once for this, and kept nowhere.',
  makeCode: 'Make a code',
  code: 'Code',
  codeMore: (time: string) => `Tell it to the bot. It works once, until ${time}.`,
  lesserToken: 'This token was made for less. It must be one that may do everything.',
  foreignToken: 'This token belongs to another system.',
} as const
