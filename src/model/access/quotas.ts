/** Limits of this server, and its registration mode. */
export interface Quotas {
  /** Maximum number of systems; null for no limit. */
  readonly systems: number | null
  /** Maximum number for a system without a limit in its settings. */
  readonly members: number
  readonly groups: number
  /** Maximum bytes of archived rows of one system. */
  readonly archive: number
  /** Maximum bytes of text of one system in the tables of the extension API. */
  readonly extText: number
  /** Maximum bytes of pictures of one system. */
  readonly pictures: number
  /** Creation of systems by bots. */
  readonly registration: RegistrationMode
  /** Creation of systems in browsers. */
  readonly webRegistration: RegistrationMode
}

export type RegistrationMode = 'open' | 'closed' | 'invite'
