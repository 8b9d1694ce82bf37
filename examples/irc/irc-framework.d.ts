/** Types of the parts of irc-framework that the bot and its tests use; the package has none. */
declare module 'irc-framework' {
  interface From {
    nick: string
  }

  export interface Message extends From {
    target: string
    message: string
    /** Status prefix such as @ if the message is only for a part of the channel. */
    group?: string
    /** Services account, if the server tags messages with it. */
    account?: string
    tags: Record<string, string>
    /** Milliseconds, if the server sends its time. */
    time?: number
    batch?: object
  }

  interface Events {
    registered: object
    'socket close': object
    close: object
    'nick in use': From
    userlist: { channel: string; users: From[] }
    join: From & { channel: string; account?: string | false }
    part: From & { channel: string }
    kick: { kicked: string; channel: string }
    quit: From
    nick: From & { new_nick: string }
    account: From & { account: string | false }
    privmsg: Message
    notice: Message
    pong: { message: string }
    'irc error': { error: string; reason?: string }
    'unknown command': { command: string; params: string[] }
  }

  export class Client {
    readonly user: { nick: string }
    readonly connected: boolean
    readonly network: {
      cap: { isEnabled(name: string): boolean; available: Map<string, string> }
    }
    on<Name extends keyof Events>(event: Name, listener: (event: Events[Name]) => void): this
    requestCap(names: string[]): void
    connect(options: object): void
    join(channel: string): void
    part(channel: string): void
    say(target: string, message: string): void
    mode(channel: string, mode: string): void
    quit(message: string): void
    changeNick(nick: string): void
    notice(target: string, message: string): void
    raw(words: string[]): void
    whois(nick: string, callback: (response: { account?: string; error?: string }) => void): void
    caseLower(text: string): string
    caseCompare(one: string, other: string): boolean
  }
}
