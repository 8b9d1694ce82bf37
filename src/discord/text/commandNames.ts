import type { CommandId } from './enCommands'

/**
 * Returns how the reader of an answer writes a command, such as `pk;system new` or `/system new`.
 * Values are filled in for the parameters of these names.
 */
export type NameCommand = (id: CommandId, values?: Readonly<Record<string, string>>) => string
