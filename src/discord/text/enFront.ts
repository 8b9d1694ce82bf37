import type { NameCommand } from './commandNames'
import { bold, duration } from './format'

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** Texts about fronting and autoproxy. */
export const frontTexts = {
  currentFront: (count: number) => (count === 1 ? 'Current fronter' : 'Current fronters'),
  nobodyFronts: 'Nobody',
  noSwitches: 'There are no switches yet.',
  hiddenMember: 'Private member',
  historyOf: (name: string) => `Front history of ${name}`,
  /** Takes the start in seconds since 1970. */
  pastSwitch: ({
    names,
    start,
    seconds,
    isCurrent,
  }: {
    names: string
    start: number
    seconds: number
    isCurrent: boolean
  }) =>
    `${bold(names)} · <t:${start}:f> (<t:${start}:R>), ${isCurrent ? 'until now: ' : 'for '}${duration(seconds)}`,
  frontPercent: (name: string) => `Share of front time: ${name}`,
  noFronter: '*Nobody*',
  shareOf: (name: string, share: number, seconds: number) =>
    `${name}: ${percent.format(share)} · ${duration(seconds)}`,
  sharesSince: (start: number) => `Since <t:${start}:f> (<t:${start}:R>)`,
  percentFlat: 'Shares of the front time of all members together.',
  percentNote: 'Members can front together, so the sum may exceed 100 %.',
  switched: (names: string) => `✅ Switch logged. Now fronting: ${names}.`,
  switchedOut: '✅ Switch-out logged. Nobody fronts.',
  switchEdited: (names: string, before: string) =>
    `✅ Switch changed. Now fronting: ${names || 'nobody'}. Before: ${before || 'nobody'}.`,
  alreadyFronting: (names: string, count: number) =>
    `${names} ${count === 1 ? 'is' : 'are'} already fronting.`,
  alreadyOut: 'Nobody is fronting, so there is nothing to switch out of.',
  tooManyFronters: (max: number) => `A switch has at most ${max} members.`,
  beforePrevious: (time: string, name: NameCommand) =>
    `The switch before it was at ${time}; a switch cannot be moved before that. ${name('switch.delete')} removes the latest one first.`,
  confirmMove: (names: string, from: string, to: string) =>
    `Move the latest switch (${bold(names)}) from ${from} to ${to}?`,
  switchMoved: (to: string) => `✅ The latest switch is now at ${to}.`,
  confirmDeleteSwitch: (names: string, time: string) =>
    `Delete the latest switch (${names}, ${time})?`,
  switchDeleted: '✅ The latest switch was deleted.',
  confirmDeleteHistory: 'Delete **all** switches of your system for good?',
  historyDeleted: '✅ All switches were deleted.',
  autoproxyTitle: 'Autoproxy in this server',
  autoproxyState: (mode: string, member: string | null) =>
    mode === 'off'
      ? 'Autoproxy is off.'
      : mode === 'front'
        ? `Autoproxy uses the first fronter (${member ?? 'nobody fronts'}).`
        : mode === 'latch'
          ? `Autoproxy uses the last proxied member${member ? ` (${member})` : ''}.`
          : `Autoproxy uses ${member ?? 'no member'}.`,
  autoproxyAccountOff: (name: NameCommand) =>
    `It is off for this account; ${name('config', { setting: 'autoproxy account on' })} turns it on.`,
  autoproxyHelp:
    '`off`: messages without tags are not proxied.\n`front`: as the first fronter.\n`latch`: as the member of your last proxied message.\nA member’s name or ID: always as this member.',
  autoproxySet: {
    off: '✅ Autoproxy is now off in this server.',
    front: '✅ Autoproxy now uses the first fronter in this server.',
    latch: '✅ Autoproxy now uses the last proxied member in this server.',
  },
  autoproxyMember: (name: string) => `✅ Autoproxy now uses ${name} in this server.`,
  /** Takes what `autoproxySet` or `autoproxyMember` would say. */
  autoproxyAlready: (set: string) =>
    set
      .replace('✅ Autoproxy is now', 'Autoproxy is already')
      .replace('✅ Autoproxy now', 'Autoproxy already'),
}
