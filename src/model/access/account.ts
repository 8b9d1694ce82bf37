/** An account of a platform that is linked to a system. */
export interface Account {
  id: string
  system_id: number
  autoproxy_enabled: boolean
}

/** An account with the short ID of the system it is linked to. */
export interface LinkedAccount extends Account {
  system: string
}
