import { join } from 'node:path'
import { folderWithDatabase } from '../../tools/emptyDatabase'
import { run, runJson } from '../../tools/runInProcess'
import { emptyFolder } from '../../tools/serverProcess'
import { describe, expect, test } from '../../tools/test'
import { createTestApp } from '../../tools/testApp'
import { changeDatabase } from '../changeDatabase'

interface Made {
  id: string
  token: string
}

describe('commands of an operator', () => {
  test('system list shows the size and last use of each system', async () => {
    const cwd = folderWithDatabase()
    const { id } = await runJson<Made>(['system', 'create', '--name', 'Hill\u001b[2J'], { cwd })
    const { out } = await run(['system', 'list'], { cwd })
    expect(out.split('\n')[0]).toMatch(/^ID +MEMBERS +GROUPS +SWITCHES +MESSAGES +LAST USED +NAME$/)
    expect(out).toMatch(new RegExp(`^${id} +0 +0 +0 +0 +\\d+ s ago +Hill \\[2J$`, 'm'))
    expect(await runJson<object[]>(['system', 'list'], { cwd })).toEqual([
      {
        id,
        uuid: expect.any(String),
        name: 'Hill\u001b[2J',
        created: expect.stringMatching(/Z$/),
        last_active: expect.stringMatching(/Z$/),
        disabled: false,
        members: 0,
        groups: 0,
        switches: 0,
        messages: 0,
      },
    ])
  })

  test('system disable and enable take effect on a running server', async () => {
    const cwd = folderWithDatabase()
    const { id, token } = await runJson<Made>(['system', 'create'], { cwd })
    const { ask } = createTestApp({ DATABASE_URL: `file:${join(cwd, 'data/multitude.db')}` })
    const headers = { authorization: token }
    const read = async () => (await ask('GET /v2/systems/@me', { headers })).status
    const readAnonymously = async () => (await ask(`GET /v2/systems/${id}`)).status
    expect([await read(), await readAnonymously()]).toEqual([200, 200])
    const { code, out } = await run(['system', 'disable', id], { cwd })
    expect([code, out]).toEqual([0, expect.stringContaining(`multitude system enable ${id}`)])
    expect([await read(), await readAnonymously()]).toEqual([403, 404])
    expect((await run(['system', 'list'], { cwd })).out).toContain('(disabled)')
    expect((await run(['system', 'show', id], { cwd })).out).toMatch(/^disabled +since .+Z$/m)
    expect(await runJson<unknown>(['system', 'show', id], { cwd })).toMatchObject({
      disabled: true,
    })
    expect((await run(['stats'], { cwd })).out).toMatch(/^systems +1 \(1 disabled\)$/m)
    expect((await run(['status', '--port', '1'], { cwd })).out).toMatch(/^Systems +1$/m)
    expect(await runJson<unknown>(['system', 'enable', id], { cwd })).toEqual({ enabled: id })
    expect([await read(), await readAnonymously()]).toEqual([200, 200])
    expect((await run(['system', 'show', id], { cwd })).out).not.toContain('disabled')
    expect(await runJson<unknown>(['system', 'show', id], { cwd })).toMatchObject({
      disabled: false,
    })
  })

  test('stats shows totals and monthly growth', async () => {
    const cwd = folderWithDatabase()
    for (const name of ['A', 'B', 'C']) await runJson(['system', 'create', '--name', name], { cwd })
    const [march, april] = [Date.UTC(2026, 2, 31, 23, 59) * 1000, Date.UTC(2026, 3, 1) * 1000]
    changeDatabase(cwd, `update systems set created = ${march} where name <> 'C'`)
    changeDatabase(cwd, `update systems set created = ${april} where name = 'C'`)
    expect(await runJson<unknown>(['stats'], { cwd })).toEqual({
      ...{ systems: 3, disabled: 0, members: 0, groups: 0, switches: 0, messages: 0, accounts: 0 },
      months: [
        { month: '2026-03', systems: 2, members: 0, messages: 0 },
        { month: '2026-04', systems: 1, members: 0, messages: 0 },
      ],
    })
    const { out } = await run(['stats'], { cwd })
    expect(out).toMatch(/^NEW IN +SYSTEMS +MEMBERS +MESSAGES\n2026-03 +2 +0 +0\n2026-04 +1 +0 +0$/m)
  })

  test('prune lists unused systems in a dry run and deletes them with --yes', async () => {
    const cwd = folderWithDatabase()
    const old = await runJson<Made>(['system', 'create', '--name', 'Old'], { cwd })
    const used = await runJson<Made>(['system', 'create', '--name', 'Used'], { cwd })
    const longAgo = Date.UTC(2024, 0, 1) * 1000
    changeDatabase(cwd, `update systems set created = ${longAgo}`)
    changeDatabase(cwd, `update tokens set created = ${longAgo}`)
    changeDatabase(cwd, 'delete from events')
    changeDatabase(cwd, "update migrations set applied = '2023-01-01T00:00:00.000Z'")
    changeDatabase(
      cwd,
      `update tokens set last_used = ${Date.UTC(2026, 0, 1) * 1000}
       where system_id = (select id from systems where hid = '${used.id}')`,
    )
    const words = ['prune', '--unused-since', '2025-01-01']
    const dry = await run([...words, '--dry-run'], { cwd })
    expect([dry.code, dry.out]).toEqual([0, expect.stringContaining(old.id)])
    expect(dry.out).not.toContain(used.id)
    expect(dry.out).toContain(
      'Dry run: nothing was deleted. 1 system not used since 2025-01-01T00:',
    )
    // Without --yes and without a terminal, nothing is deleted.
    expect((await run(words, { cwd })).code).toBe(2)
    const pruned = await runJson<{ systems: Made[] }>([...words, '--yes'], { cwd })
    expect(pruned.systems.map(({ id }) => id)).toEqual([old.id])
    const left = await runJson<Made[]>(['system', 'list'], { cwd })
    expect(left.map(({ id }) => id)).toEqual([used.id])
    expect((await run([...words, '--yes'], { cwd })).out).toContain(
      'All systems have been used since',
    )
  })

  test.each([[], ['--unused-since', 'yesterday'], ['--unused-since', '2999-01-01']])(
    'prune rejects %p %p',
    async (...words) => {
      const cwd = folderWithDatabase()
      await runJson(['system', 'create'], { cwd })
      const { code, err } = await run(['prune', ...words, '--yes'], { cwd })
      expect([code, err]).toEqual([2, expect.stringContaining('--unused-since')])
    },
  )

  test('invite create, list and revoke manage invites', async () => {
    const cwd = emptyFolder()
    await runJson(['migrate'], { cwd })
    const made = await runJson<{ code: string }>(
      ['invite', 'create', '--name', 'friends', '--uses', '3', '--expires', '2222-01-01'],
      { cwd },
    )
    expect(made).toEqual({
      ...{ name: 'friends', uses: 3, expires: '2222-01-01T00:00:00Z' },
      code: expect.stringMatching(/^\w{4}-\w{4}-\w{4}$/),
    } as never)
    const again = await run(['invite', 'create', '--name', 'friends'], { cwd })
    expect([again.code, again.err]).toEqual([1, 'multitude: The invite friends exists already.\n'])
    const { out } = await run(['invite', 'list'], { cwd })
    expect(out).toBe('NAME     USED  OF  EXPIRES\nfriends  0     3   2222-01-01T00:00:00Z\n')
    expect((await run(['invite', 'revoke', 'friends', '--yes'], { cwd })).code).toBe(0)
    expect((await run(['invite', 'revoke', 'friends', '--yes'], { cwd })).code).toBe(1)
    expect((await run(['invite', 'list'], { cwd })).out).toBe('There are no invites.\n')
    for (const wrong of [
      [],
      ['--name', 'a', '--uses', '0'],
      ['--name', 'a', '--expires', '1999-01-01'],
    ])
      expect((await run(['invite', 'create', ...wrong], { cwd })).code).toBe(2)
  })
})
