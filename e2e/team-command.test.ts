import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type OwnDatabase, ownDatabase } from '@panoptes/engine/testing/database'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, runCommand, type TestHome } from './command.ts'
import { usePostgres } from './setup/shared-servers.ts'

usePostgres()

let home: TestHome
let database: OwnDatabase

beforeEach(async () => {
  ;[home, database] = await Promise.all([makeHome(), ownDatabase()])
})
afterEach(async () => {
  await database.drop()
  await home.remove()
})

const run = (...args: string[]) =>
  runCommand(home, ['team', ...args], { env: { PANOPTES_LEDGER: database.url } })

/** Runs a command with `--json`, which must print one document and nothing on stderr. */
const json = async (...args: string[]): Promise<Record<string, never>> => {
  const { stdout, stderr } = await run(...args, '--json')
  expect(stderr).toBe('')
  return JSON.parse(stdout)
}

const init = () => json('init', '--email', 'ada@example.org', '--name', 'Ada')

describe('panoptes team', () => {
  it('creates a team with its first admin, once, and shows the token once', async () => {
    const made = await run('init', '--email', 'ada@example.org')
    expect(made).toMatchObject({ code: 0, stderr: '' })
    const [token = ''] = /pan_[\w-]{43}/.exec(made.stdout) ?? []
    expect(made.stdout).toContain('ada@example.org is the admin of the space "main"')
    expect(made.stdout.split(token)).toHaveLength(2)
    const again = await run('init', '--email', 'bob@example.org')
    expect(again.code).toBe(1)
    expect(again.stderr).toContain('already has an admin: ada@example.org')
    const listed = [await run('tokens', 'list'), await run('audit'), await run('users', 'list', '--all')]
    for (const { code, stdout } of listed) {
      expect(code).toBe(0)
      expect(stdout).toContain('ada@example.org')
      expect(stdout).not.toContain(token)
    }
    expect(await database.ask('SELECT count(*) FROM panoptes_team.users')).toEqual([{ count: '1' }])
  })

  it('adds people to spaces, sets their roles, and removes them', async () => {
    await init()
    expect((await run('spaces', 'add', 'blue')).code).toBe(0)
    expect(await json('spaces', 'list')).toMatchObject({ spaces: [{ name: 'blue' }, { name: 'main' }] })
    expect(await json('users', 'add', 'bob@example.org', '--role', 'viewer')).toMatchObject({
      user: { roles: { main: 'viewer' } },
    })
    expect((await run('users', 'add', 'Bob@example.org', '--space', 'blue', '--role', 'admin')).code).toBe(0)
    expect(await json('users', 'list', '--space', 'blue')).toMatchObject({
      users: [{ email: 'bob@example.org', roles: { blue: 'admin' } }],
    })
    const last = await run('users', 'role', 'bob@example.org', 'member', '--space', 'blue')
    expect(last).toMatchObject({ code: 1, stderr: expect.stringContaining('last admin of the space "blue"') })
    expect(await json('users', 'role', 'bob@example.org', 'none')).toMatchObject({
      user: { roles: { blue: 'admin' } },
    })
  })

  it('disables and removes people except the last admin, and records it', async () => {
    await init()
    expect((await run('users', 'disable', 'ada@example.org')).code).toBe(1)
    expect((await run('users', 'add', 'eve@example.org', '--role', 'admin')).code).toBe(0)
    expect(await json('users', 'disable', 'ada@example.org')).toMatchObject({ user: { disabled: true } })
    expect(await json('users', 'enable', 'ada@example.org')).toMatchObject({ user: { disabled: false } })
    expect(await run('users', 'remove', 'eve@example.org')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--yes'),
    })
    await database.ask(
      "UPDATE panoptes_team.users SET subject = 'an account' WHERE email = 'eve@example.org'",
    )
    expect(await json('users', 'relink', 'eve@example.org')).toMatchObject({ ok: true })
    expect(
      await database.ask("SELECT subject FROM panoptes_team.users WHERE email = 'eve@example.org'"),
    ).toEqual([{ subject: null }])
    const removed = await run('users', 'remove', 'eve@example.org', '--yes')
    expect(removed).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('cannot rejoin by signing in'),
    })
    expect((await run('users', 'list', '--all')).stdout).toMatch(/eve@example\.org .*in no space/)
    const { entries } = (await json('audit', '--action', 'users')) as unknown as {
      entries: { action: string; target: string; actor: string }[]
    }
    expect(entries[0]).toMatchObject({
      action: 'users.remove',
      target: 'eve@example.org',
      actor: 'command line',
    })
    expect(entries[1]).toMatchObject({ action: 'users.relink', target: 'eve@example.org' })
    expect(entries.every(({ action }) => action.startsWith('users.'))).toBe(true)
    expect(await json('users', 'add', 'eve@example.org')).toMatchObject({
      user: { roles: { main: 'member' } },
    })
  })

  it('creates tokens that expire, and revokes them by their first letters', async () => {
    await init()
    const { token, about } = (await json(
      'tokens',
      'create',
      '--label',
      'build machine',
      '--days',
      '30',
    )) as unknown as { token: string; about: Record<string, unknown> }
    expect(about).toMatchObject({ scope: 'ingest', role: 'member', space: 'main', user_id: null })
    expect(Number(about.expires_at) - Date.now()).toBeGreaterThan(29 * 86_400_000)
    const shown = await run('tokens', 'list')
    expect(shown.stdout).toMatch(
      /pan_.{6}… +build machine +ingest +member +a machine +– +never used, expires /,
    )
    expect((await run('tokens', 'revoke', token.slice(0, 10))).code).toBe(0)
    expect((await run('tokens', 'list')).stdout).toMatch(/build machine .* revoked /)
    const wrong = await run('tokens', 'revoke', token)
    expect(wrong.code).toBe(1)
    expect(wrong.stderr).not.toContain(token)
    const personal = await run('tokens', 'create', '--label', 'x', '--user', 'nobody@example.org')
    expect(personal).toMatchObject({ code: 1, stderr: expect.stringContaining('nobody@example.org') })
  })

  it("gives a person's token no more than the person's role, and lists its current rights", async () => {
    await init()
    await run('users', 'add', 'eve@example.org', '--role', 'viewer')
    const personal = ['--user', 'eve@example.org', '--scope', 'full', '--role', 'admin', '--label', 'page']
    const made = await run('tokens', 'create', ...personal)
    expect(made.stdout).toContain('as viewer, the role of eve@example.org there')
    const { entries } = (await json('audit', '--action', 'tokens.create')) as unknown as {
      entries: { target: string; actor: string }[]
    }
    expect(entries[0]).toMatchObject({ actor: 'command line', target: 'page full viewer eve@example.org' })
    await database.ask("UPDATE panoptes_team.tokens SET role = 'admin' WHERE label = 'page'")
    const { stdout } = await run('tokens', 'list')
    expect(stdout).toMatch(/^ +ID +BEGINS +LABEL +SCOPE +ROLE +WHOSE +COMPUTER +USED$/m)
    expect(stdout).toMatch(/ page +full +viewer +eve@example\.org /)
  })

  it('replaces a token file only on request, and reports that a token was revoked already', async () => {
    await init()
    const file = join(home.folder, 'laptop.token')
    const create = (...more: string[]) =>
      run('tokens', 'create', '--label', 'laptop', '--file', file, ...more)
    expect((await create()).code).toBe(0)
    const before = await readFile(file, 'utf8')
    expect(await create()).toMatchObject({ code: 1, stderr: expect.stringContaining('--force') })
    expect(await readFile(file, 'utf8')).toBe(before)
    expect((await create('--force')).code).toBe(0)
    const after = await readFile(file, 'utf8')
    expect(after).not.toBe(before)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    const bad = await run('tokens', 'create', '--label', 'lost', '--file', join(home.folder, 'x'.repeat(300)))
    expect(bad).toMatchObject({ code: 1, stderr: expect.stringContaining('No token was created') })
    expect((await run('tokens', 'list')).stdout).not.toContain('lost')
    expect((await readdir(home.folder)).filter((each) => each.startsWith('laptop'))).toEqual(['laptop.token'])
    expect((await run('tokens', 'revoke', after.slice(0, 10))).stdout).toMatch(/^Revoked laptop/)
    expect((await run('tokens', 'revoke', after.slice(0, 10))).stdout).toMatch(
      /laptop .* was already revoked/,
    )
    const { entries } = (await json('audit', '--action', 'tokens.revoke')) as unknown as {
      entries: unknown[]
    }
    expect(entries).toHaveLength(1)
  })

  it('explains an invalid argument, and then does nothing', async () => {
    await init()
    const wrong = [
      [['spaces', 'add', 'Not A Space'], 1, 'must begin with a letter'],
      [['spaces', 'add', 'main'], 1, 'A space named "main" already exists'],
      [['users', 'add', 'nobody'], 1, 'e-mail address'],
      [['users', 'add', 'a@b', '--role', 'owner'], 2, 'It must be one of: viewer, member, admin'],
      [['users', 'add', 'a@b', '--space', 'red'], 1, 'No space is named "red"'],
      [['users', 'add', 'a@b', '--space', "x'; DROP"], 2, '--space must begin with a letter'],
      [['users', 'role', 'ada@example.org', 'god'], 2, '"god" is not a role'],
      [['users', 'role', 'x@y', 'admin'], 1, 'No person has the email x@y'],
      [['tokens', 'create'], 2, '--label'],
      [['tokens', 'create', '--label', 'x', '--days', '0'], 2, 'from 1 to 3650'],
      [['tokens', 'revoke', ''], 1, 'no such token'],
      [['audit', '--limit', 'many'], 2, 'whole number'],
    ] as const
    const tell = async ([args]: (typeof wrong)[number]) => {
      const { code, stderr } = await run(...args)
      return [args, code, stderr]
    }
    // Four commands run at once, because each of them spends most of its time starting.
    for (let at = 0; at < wrong.length; at += 4) {
      const some = wrong.slice(at, at + 4)
      expect(await Promise.all(some.map(tell))).toEqual(
        some.map(([args, code, said]) => [args, code, expect.stringContaining(said)]),
      )
    }
    expect(await database.ask('SELECT count(*) FROM panoptes_team.users')).toEqual([{ count: '1' }])
  })

  it('explains that the database is missing or does not answer', async () => {
    const none = await runCommand(home, ['team', 'users', 'list'])
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('needs a PostgreSQL database') })
    const away = await runCommand(home, [
      'team',
      'users',
      'list',
      '--json',
      '--ledger',
      'postgres://a:hidden@127.0.0.1:1/x',
    ])
    expect(JSON.parse(away.stdout)).toMatchObject({ ok: false, code: 'busy' })
    expect(away.stdout + away.stderr).not.toContain('hidden')
    const wrong = await runCommand(home, ['team', 'spaces', 'list', '--ledger', 'mysql://hidden@x'])
    expect(wrong.code).toBe(2)
    expect(wrong.stdout + wrong.stderr).not.toContain('hidden')
  })

  it('uses the address and the space of config.yaml', async () => {
    await init()
    await run('spaces', 'add', 'blue')
    await mkdir(home.panoptes, { recursive: true })
    await writeFile(join(home.panoptes, 'config.yaml'), `team:\n  ledger: ${database.url}\n  space: blue\n`)
    const plain = (...args: string[]) => runCommand(home, ['team', ...args])
    expect((await plain('users', 'add', 'bob@example.org', '--role', 'admin')).stdout).toContain(
      'admin of the space "blue"',
    )
    expect((await plain('users', 'list')).stdout).not.toContain('ada@example.org')
  })
})
