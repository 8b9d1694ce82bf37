import { formatInstant } from '../model/time'
import { createToken, listTokens, revokeToken } from '../service/tokens'
import { type Command, columns, Failure } from './command'
import { namedSystem } from './named'

export const tokenCommands: Command[] = [
  {
    name: 'token create',
    summary: 'Make a token for a system, in place of one of the same name; shown this once',
    args: ['SYSTEM'],
    flags: { name: { type: 'string', doc: 'Name of the token (default)' } },
    async run(call) {
      const { viewer } = await namedSystem(call)
      const name = String(call.flags.name || 'default')
      const token = await createToken(call.deps(), viewer, name)
      return { json: { name, token }, text: `${token}\n\nKeep it: it is not shown again.` }
    },
  },
  {
    name: 'token list',
    summary: 'List the names of a system’s tokens',
    args: ['SYSTEM'],
    async run(call) {
      const { viewer } = await namedSystem(call)
      const all = (await listTokens(call.deps(), viewer)).map(({ name, created }) => ({
        name,
        created: formatInstant(created),
      }))
      return {
        json: all,
        text: all.length === 0 ? 'It has no tokens.' : columns(all.map((t) => [t.name, t.created])),
      }
    },
  },
  {
    name: 'token revoke',
    summary: 'Make a system’s token useless at once',
    args: ['SYSTEM', 'NAME'],
    destroys: true,
    async run(call) {
      const { viewer, system } = await namedSystem(call)
      const { hid } = system
      const name = call.args[1] ?? ''
      await call.confirm(`Revoke the token ${name} of system ${hid}?`)
      if (!(await revokeToken(call.deps(), viewer, name)))
        throw new Failure(`System ${hid} has no token ${name}.`)
      return { json: { revoked: name }, text: `Token ${name} is revoked.` }
    },
  },
]
