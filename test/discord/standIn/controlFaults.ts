import type { Context } from './context'
import type { GatewayFaults, RestFault } from './faults'
import type { Gateway } from './gateway'
import type { StandInOptions } from './options'

/** Listeners that faults act on. */
export interface Listeners {
  gateway: Gateway
  resume: Gateway
  /** Stops or starts the listener of the resume address. */
  setResumeListening(isListening: boolean): Promise<void>
}

export interface FaultContext extends Context {
  listeners: Listeners
}

/** Faults of the network and of Discord, and changes of its settings during a scenario. */
export const faultActions = {
  /** Lets the next requests of a route fail. */
  failRequests({ faults }: FaultContext, fault: RestFault) {
    faults.add(fault)
  },

  /** Lets requests go on that a fault holds; later faults stay. */
  releaseRequests({ faults }: FaultContext) {
    faults.release()
  },

  setGatewayFaults({ faults }: FaultContext, changes: Partial<GatewayFaults>) {
    Object.assign(faults.gateway, changes)
  },

  /** Closes all connections, or those of a shard, with a close code. */
  closeConnections(context: FaultContext, input: { code: number; shard?: number }) {
    for (const connection of connectionsOf(context, input.shard))
      connection.close(input.code, 'Closed by a fault.')
  },

  /** Drops all connections without a close frame. */
  resetConnections(context: FaultContext, { shard }: { shard?: number } = {}) {
    for (const connection of connectionsOf(context, shard)) {
      connection.entry.closed ??= { code: 1006, by: 'server' }
      connection.socket.terminate()
    }
  },

  /** Sends op 1 (heartbeat request), 7 (reconnect) or 9 (invalid session). */
  sendOpcode(
    context: FaultContext,
    input: { op: 1 | 7 | 9; isResumable?: boolean; shard?: number },
  ) {
    for (const connection of connectionsOf(context, input.shard)) {
      const isFinal = input.op === 9 && !input.isResumable
      if (isFinal && connection.session) context.sessions.end(connection.session)
      if (isFinal) connection.session = null
      const data = input.op === 9 ? (input.isResumable ?? false) : null
      connection.send({ op: input.op, s: null, t: null, d: data })
    }
  },

  /** Makes the resume address refuse connections, or accept them again. */
  async setResumeAddress({ listeners }: FaultContext, { accepts }: { accepts: boolean }) {
    await listeners.setResumeListening(accepts)
  },

  /** Ends all sessions, so that the next RESUME is answered with op 9. */
  expireSessions({ sessions }: FaultContext) {
    for (const session of sessions.list()) if (session.socket === null) sessions.end(session)
  },

  /** Delays gateway events, so that REST answers overtake them. */
  delayEvents({ sessions }: FaultContext, { ms }: { ms: number }) {
    sessions.eventDelayMs = ms
  },

  /** Sends the event with this message or interaction once more, as Discord may. */
  repeatEvent({ sessions }: FaultContext, { id }: { id: string }) {
    for (const session of sessions.list()) {
      const found = session.events.find(({ data }) => data.id === id)
      if (found) sessions.send(session, { ...found, guildId: null, intent: null })
    }
  },

  breakAttachments({ faults }: FaultContext, { isBroken }: { isBroken: boolean }) {
    faults.isCdnBroken = isBroken
  },

  clearFaults({ faults, sessions }: FaultContext) {
    faults.clear()
    sessions.eventDelayMs = 0
  },

  /** Moves the stand-in's clock forward: sessions, tokens, limits and attachment URLs expire. */
  advanceClock({ clock }: FaultContext, { ms }: { ms: number }) {
    clock.advance(ms)
  },

  /** Stops the clock, so that nothing expires unless a test moves the clock forward. */
  stopClock({ clock }: FaultContext) {
    clock.stop()
  },

  setOptions({ options }: FaultContext, changes: Partial<StandInOptions>) {
    Object.assign(options, changes)
  },

  /** Revokes the bot token and closes its connections. Returns the new token. */
  changeToken(context: FaultContext) {
    const { application, record } = context
    application.token = record.issueSecret(54)
    for (const connection of connectionsOf(context))
      connection.close(4004, 'Authentication failed.')
    return { token: application.token }
  },
}

function connectionsOf({ listeners }: FaultContext, shard?: number) {
  return [...listeners.gateway.connections(), ...listeners.resume.connections()].filter(
    ({ session }) => shard === undefined || session?.shard[0] === shard,
  )
}
