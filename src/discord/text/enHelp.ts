import type { NameCommand } from './commandNames'

/** A topic of `help`, with other words for it. */
interface Topic {
  readonly words: readonly string[]
  readonly text: (name: NameCommand) => string
}

/** Joins names of commands, of which one slash command may replace several. */
function distinct(...names: readonly string[]): string {
  return [...new Set(names)].join(', ')
}

/** Topics of `help` in English, by name. */
export const topics: Readonly<Record<string, Topic>> = {
  start: {
    words: ['started', 'getting started', 'tutorial', 'first', 'new'],
    text: (name) =>
      [
        `1. ${name('system.new')} creates your system.`,
        `2. ${name('member.new', { name: 'Wren' })} adds a member.`,
        `3. ${name('member.proxy.set', { member: 'Wren', tags: 'w:text' })} sets proxy tags. Now write \`w:hello\`.`,
        `4. ${name('switch.log', { members: 'Wren' })} records who fronts; ${name('autoproxy', { name: 'front' })} then sends messages without tags as the first fronter.`,
        `5. ${name('token')} gives you a token. Keep it safe: it is the way back if you lose this account.`,
        `Coming from PluralKit, Tupperbox or Simply Plural? ${name('import')} takes your export.`,
      ].join('\n'),
  },
  system: {
    words: ['systems', 'account', 'accounts', 'link', 'unlink'],
    text: (name) =>
      [
        `${name('system.show')} shows your system, ${name('system.name', { value: 'The Nest' })} names it; description, tag, pronouns, color, avatar and banner are set in the same way.`,
        `The tag (${name('system.tag', { value: '| Nest' })}) follows the names of all members in proxied messages.`,
        `${name('link')} adds another account of yours, ${name('unlink')} removes one.`,
      ].join('\n'),
  },
  member: {
    words: ['members', 'list'],
    text: (name) =>
      [
        `${name('member.new')} adds a member, ${name('member.show')} shows one, ${name('system.list')} lists them.`,
        `Change a member with ${distinct(name('member.displayname'), name('member.description'), name('member.pronouns'), name('member.avatar'))} and so on; without a value the command shows the field.`,
        'Name members by name, display name or ID. Names with spaces need quotes: "two words".',
      ].join('\n'),
  },
  proxy: {
    words: ['proxying', 'tag', 'tags', 'brackets', 'reaction', 'reactions'],
    text: (name) =>
      [
        'Proxy tags mark a message as a member’s: with the tags `[text]`, the message `[hello]` is sent as this member.',
        `Set them with ${name('member.proxy.set', { tags: '[text]' })}; ${name('member.proxy.add', { tags: 'w:text' })} adds a second pair.`,
        'React to a proxied message with ❌ to delete your own, with ❓ to see who sent it, with 🔔 to ping its author.',
        `Was a message not proxied? Reply to it with ${name('debug.proxy')}.`,
      ].join('\n'),
  },
  group: {
    words: ['groups'],
    text: (name) =>
      `${name('group.new')} creates a group of members, ${name('group.add')} and ${name('group.remove')} change who is in it, ${name('group.members')} lists them. ${name('group.list')} lists your groups.`,
  },
  switch: {
    words: ['switches', 'sw'],
    text: (name) =>
      [
        `A switch records who fronts. ${name('switch.log', { members: 'Wren Finch' })} logs one, ${name('switch.out')} logs that nobody fronts.`,
        `${name('switch.move', { when: '1h30m' })} corrects the time of the latest one, ${name('switch.edit')} its members, ${name('switch.delete')} removes it.`,
      ].join('\n'),
  },
  front: {
    words: ['fronting', 'fronter', 'fronters', 'history', 'fronthistory', 'frontpercent'],
    text: (name) =>
      [
        `${name('system.fronter')} shows who fronts, ${name('system.fronthistory')} the latest switches, ${name('system.frontpercent', { period: '7d' })} how long each member fronted.`,
        `${name('switch.log')} logs a switch. Times are read in your time zone: ${name('config', { setting: 'timezone Berlin' })}.`,
      ].join('\n'),
  },
  autoproxy: {
    words: ['ap', 'auto', 'latch'],
    text: (name) =>
      [
        'Autoproxy sends messages without tags as a member, in one server.',
        `${name('autoproxy', { name: 'front' })}: as the first fronter. ${name('autoproxy', { name: 'latch' })}: as the member of your last proxied message. ${name('autoproxy', { name: 'Wren' })}: always as Wren. ${name('autoproxy', { name: 'off' })}: not at all.`,
        'A message that starts with `\\` is not proxied; one that starts with `\\\\` also ends the latch.',
      ].join('\n'),
  },
  privacy: {
    words: ['private', 'public', 'visibility'],
    text: (name) =>
      [
        'Everything you enter is public at first: anyone who knows the ID can look it up.',
        `${name('member.privacy', { subject: 'description', level: 'private' })} hides one field, ${name('member.private')} everything about a member; ${name('system.privacy')} does the same for your system and its lists.`,
        `${name('config', { setting: 'private member on' })} makes new members private. \`-public\` shows your card as other people see it, \`-private\` with what is private.`,
      ].join('\n'),
  },
  edit: {
    words: ['message', 'messages', 'delete', 'reproxy', 'x'],
    text: (name) =>
      [
        `${name('edit')} changes your last proxied message here, or the one that you reply to. ${name('edit', { text: '-append more' })} adds to it.`,
        `${name('reproxy')} sends it again as another member. React with ❌ to delete it.`,
        `${name('message')} shows who sent a message.`,
      ].join('\n'),
  },
  picture: {
    words: ['pictures', 'avatar', 'avatars', 'icon', 'banner', 'image'],
    text: (name) =>
      `Attach a picture to ${name('member.avatar')}, or give an address or a mention. ${name('member.proxyavatar')} is used only in proxied messages, ${name('member.serveravatar')} only in one server, ${name('member.banner')} only on the card.`,
  },
  import: {
    words: ['pluralkit', 'tupperbox', 'simply plural', 'simplyplural', 'move', 'transfer'],
    text: (name) =>
      `Get an export (\`pk;export\` at PluralKit, the settings of Simply Plural, \`tul!export\` at Tupperbox) and attach the file to ${name('import')}. You see what would change before anything does. Importing again updates what is here and doubles nothing.`,
  },
  export: {
    words: ['backup'],
    text: (name) =>
      `${name('export')} sends you a file with everything in your system, as a direct message. It contains what is private: keep it safe. ${name('import')} reads it.`,
  },
  token: {
    words: ['tokens', 'api', 'app', 'apps', 'recovery', 'dashboard', 'dash', 'lost'],
    text: (name) =>
      [
        `${name('token')} creates a token, which gives an app, or you, full access to your system. Kept safe, it is the way back if you lose this account. ${name('token.refresh')} replaces the one called *Discord*.`,
        `${name('dashboard')} sends a link that opens your system in a browser.`,
      ].join('\n'),
  },
  settings: {
    words: ['config', 'cfg', 'setting', 'timezone', 'zone', 'ping', 'pings'],
    text: (name) =>
      `${name('config')} lists the settings of your system: time zone, pings, case of tags, privacy of new members and more. ${name('config', { setting: 'timezone' })} explains one.`,
  },
  server: {
    words: ['serverconfig', 'scfg', 'moderator', 'moderators', 'blacklist', 'staff'],
    text: (name) =>
      [
        `Moderators with Manage Server change the settings of a server with ${name('serverconfig')}.`,
        `${name('serverconfig', { setting: 'proxy blacklist add #general' })} turns proxying off in a channel.`,
        `${name('debug.permissions')} lists what I may not do, ${name('message')} shows who sent a message.`,
      ].join('\n'),
  },
  logs: {
    words: ['log', 'log channel', 'logclean', 'logging'],
    text: (name) =>
      [
        `${name('serverconfig', { setting: 'log channel #log' })} copies every proxied message with its sender to a channel; ${name('serverconfig', { setting: 'log channel -clear' })} stops that.`,
        'I do not clean up after other logger bots, which may report proxied messages as deleted.',
      ].join('\n'),
  },
}
