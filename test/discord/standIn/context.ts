import { Clock, Snowflakes, type Time } from './clock'
import { Faults } from './faults'
import { defaultOptions, type StandInOptions } from './options'
import { RateLimits } from './rateLimits'
import { DiscordRecord } from './record'
import { Sessions } from './sessions'
import type { Application } from './world'
import { World } from './world'

/** Addresses under which the stand-in can be reached. */
export interface Addresses {
  /** Base of the REST API, without the version. */
  api: string
  cdn: string
  gateway: string
  resumeGateway: string
  /** An origin that is not Discord's; downloads from it are recorded. */
  foreign: string
  control: string
}

/** All state of one stand-in. */
export interface Context {
  options: StandInOptions
  clock: Clock
  ids: Snowflakes
  record: DiscordRecord
  world: World
  sessions: Sessions
  limits: RateLimits
  faults: Faults
  addresses: Addresses
  application: Application
}

export function createContext(options: Partial<StandInOptions> = {}, time?: Time): Context {
  const all = { ...defaultOptions, ...options }
  const clock = new Clock(time)
  const ids = new Snowflakes(clock)
  const record = new DiscordRecord(clock)
  const world = new World(clock, ids, record)
  const none = ''
  return {
    options: all,
    clock,
    ids,
    record,
    world,
    sessions: new Sessions(all, clock, record, world),
    limits: new RateLimits(all, clock, record),
    faults: new Faults(clock),
    addresses: {
      api: none,
      cdn: none,
      gateway: none,
      resumeGateway: none,
      foreign: none,
      control: none,
    },
    application: world.application,
  }
}
