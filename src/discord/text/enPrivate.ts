import type { Tally } from '../../model/transfer/transfer'
import type { NameCommand } from './commandNames'
import { code, list, plural } from './format'

/** Counts of an import. */
interface Summary {
  readonly members: Tally
  readonly groups: Tally
  readonly switches: Tally
}

/** Numbers of what an import changed or left out. */
interface ImportChanges {
  readonly values: number
  /** Names of the fields of these values. */
  readonly fields: readonly string[]
  readonly ids: number
  readonly accounts: number
}

const MAX_FIELDS = 10

/** Leaves out what is zero. */
function counts({ members, groups, switches }: Summary): string {
  const lines = [
    [
      ...(members.added > 0 ? [plural(members.added, 'new member', 'new members')] : []),
      ...(members.changed > 0
        ? [plural(members.changed, 'changed member', 'changed members')]
        : []),
    ],
    [
      ...(groups.added > 0 ? [plural(groups.added, 'new group', 'new groups')] : []),
      ...(groups.changed > 0 ? [plural(groups.changed, 'changed group', 'changed groups')] : []),
    ],
    switches.added > 0 ? [plural(switches.added, 'new switch', 'new switches')] : [],
  ].filter((line) => line.length > 0)
  return lines.length === 0
    ? 'Nothing in it is new.'
    : lines.map((line) => line.join(', ')).join('\n')
}

/** Texts about accounts, secrets, import and export. */
export const privateTexts = {
  acceptLink: (other: string, asker: string) =>
    `${other}, ${asker} wants to link your account to their system. Your messages could then be proxied. Accept within 5 minutes?`,
  accountLinked: (account: string) => `✅ ${account} is now linked.`,
  alreadyLinked: 'That account is already linked to your system.',
  linkedElsewhere: 'That account is linked to another system.',
  notLinked: 'That account is not linked to your system.',
  lastAccount: 'This is the last account of your system and cannot be unlinked.',
  confirmUnlink: (account: string) => `Unlink ${account} from your system?`,
  accountUnlinked: (account: string) => `✅ ${account} is no longer linked.`,
  codeInPublic: 'Never show a code in a channel. Send it to me in a direct message, or use /link.',
  wrongCode: 'That code is wrong or has expired.',
  linkedToSystem: (id: string) => `✅ Your account is now linked to the system ${id}.`,
  linkCodeIs: (code: string) =>
    `Send this code from your other account within ten minutes: ${code}`,
  tokenIs: (token: string, name: NameCommand) =>
    [
      `The next message is a new token, called *${token}*. It gives full access to your system: never share it, and keep it safe.`,
      `Your other tokens still work. ${name('token.refresh')} replaces the one called *Discord*, for example if it became known.`,
    ].join('\n'),
  noPublicUrl: 'This bot has no dashboard address. Its operator can set one (PUBLIC_URL).',
  dashboardLink: (url: string) =>
    `This link logs you in once, within ten minutes. Do not share it: <${url}>`,
  noWebhook: 'No webhook is set.',
  webhookIs: (url: string, state: string) => `Events are sent to <${url}> (${state}).`,
  webhookSet: (token: string) =>
    `✅ The webhook was stored and waits for verification. Its signing token, shown only now: ${token}`,
  webhookRemoved: '✅ The webhook was removed.',
  importOpensNoLinks: 'Attach the file to the command; I open no links.',
  importNeedsFile:
    'Attach the export file of PluralKit, Tupperbox or Simply Plural, or a PluralPort file, to the command.',
  importTooLarge: 'The file is too large.',
  confirmImport: (summary: Summary) => `Import this file?\n${counts(summary)}`,
  confirmImportNew: (summary: Summary | null) =>
    summary
      ? `Create a system from this file?\n${counts(summary)}`
      : 'This file is a copy of a system here. Create a new system from it?',
  importLabel: 'Import',
  exportLabel: 'Export',
  imported: (summary: Summary) => `✅ Imported.\n${counts(summary)}`,
  importReport: 'The report of your import. Keep it private: it has values of your system.',
  importChanged: ({ values, fields, ids, accounts }: ImportChanges) =>
    [
      ...(values === 0
        ? []
        : [
            `${plural(values, 'value was', 'values were')} changed or left out${fields.length === 0 ? '' : ` (${list(fields.slice(0, MAX_FIELDS).map(code))})`}.`,
          ]),
      ...(ids === 0 ? [] : [`${plural(ids, 'ID was', 'IDs were')} taken, so there are new ones.`]),
      ...(accounts === 0
        ? []
        : [`${plural(accounts, 'account was', 'accounts were')} not linked.`]),
    ].join('\n'),
  reportSent: (isSent: boolean) =>
    isSent
      ? 'The whole report is in your direct messages.'
      : 'I could not send you the whole report as a direct message.',
  exportDone: 'Here is your system. Keep the file private.',
  exportTooLarge: (link: string) =>
    `Your export is too large for Discord. Download it in the dashboard. ${link}`,
}
