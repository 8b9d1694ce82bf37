import { operator } from '../../model/core/privacy'
import { getStats, type Month } from '../../service/admin/stats'
import { type Command, columns } from '../command'
import { formatCount } from '../format'

export const statsCommand: Command = {
  name: 'stats',
  summary: 'Show totals and monthly growth of this server',
  async run({ deps }) {
    const stats = await getStats(deps(), operator)
    const { months, disabled, ...totals } = stats
    const rows = Object.entries(totals).map(([kind, count]) => [
      kind,
      formatCount(count) + (kind === 'systems' && disabled > 0 ? ` (${disabled} disabled)` : ''),
    ])
    return { json: stats, text: `${columns(rows)}${describeGrowth(months)}` }
  },
}

function describeGrowth(months: readonly Month[]): string {
  if (months.length === 0) return ''
  const rows = months.map(({ month, systems, members, messages }) => [
    month,
    ...[systems, members, messages].map((count) => formatCount(count)),
  ])
  return `\n\n${columns([['NEW IN', 'SYSTEMS', 'MEMBERS', 'MESSAGES'], ...rows])}`
}
