/** Setting for who may create a system in the browser. */
export interface Registration {
  readonly registration: 'closed' | 'invite' | 'open'
  /** There is no system yet. */
  readonly needs_setup: boolean
}
