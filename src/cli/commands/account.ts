import { normalizeId } from '../../model/core/platform'
import { linkAccount, unlinkAccount } from '../../service/access/accounts'
import { type Call, type Command, Failure, UsageError } from '../command'
import { ACCOUNT_RULE, resolveSystem } from './resolveSystem'

export const accountCommands: Command[] = [
  {
    name: 'account link',
    summary: 'Link a chat account to a system',
    args: ['SYSTEM', 'ACCOUNT'],
    async run(call) {
      const account = accountOf(call)
      const { viewer, system } = await resolveSystem(call)
      const { hid } = system
      await linkAccount(call.deps(), viewer, account)
      return {
        json: { linked: account, system: hid },
        text: `Linked account ${account} to system ${hid}.`,
      }
    },
  },
  {
    name: 'account unlink',
    summary: 'Unlink a chat account from a system',
    args: ['SYSTEM', 'ACCOUNT'],
    isDestructive: true,
    async run(call) {
      const account = accountOf(call)
      const { viewer, system } = await resolveSystem(call)
      const { hid } = system
      await call.confirm(`Unlink account ${account} from system ${hid}?`)
      if (!(await unlinkAccount(call.deps(), viewer, account)))
        throw new Failure(`Account ${account} is not linked to system ${hid}.`)
      return {
        json: { unlinked: account },
        text: `Unlinked account ${account} from system ${hid}.`,
      }
    },
  },
]

function accountOf({ args }: Call): string {
  const account = normalizeId(args[1] ?? '')
  if (account === null) throw new UsageError(`ACCOUNT: ${ACCOUNT_RULE}`)
  return account
}
