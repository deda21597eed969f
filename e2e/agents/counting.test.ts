import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { PastSession, StatsRow, ToolStats } from '@panoptes/schema'
import { expect, it } from 'vitest'
import type { Daemon } from '../daemon.ts'
import { workFolder } from './claude.ts'
import { bash, type Script } from './script.ts'
import { useStage } from './stage.ts'
import { agentsOf, expectTree, seen } from './tree.ts'

const { home, start, connect, play } = useStage()
const SLOWLY = { timeout: 60_000, interval: 200 }

const get = async <T>(daemon: Daemon, path: string): Promise<T> =>
  (await (await daemon.request(path)).json()) as T

/** The number of calls and failed calls of a session, as each module reports them. */
async function counts(daemon: Daemon, session: string) {
  const [agents, store, past, stats, tools] = await Promise.all([
    agentsOf(daemon, session),
    get<{ agents: readonly { tool_use_count: number; errors: number }[] }>(
      daemon,
      `/api/ledger/agents?all=true&session=${session}`,
    ),
    get<readonly PastSession[]>(daemon, '/api/past/sessions'),
    get<readonly StatsRow[]>(daemon, '/api/past/stats?by=tool'),
    get<readonly ToolStats[]>(daemon, '/api/tools'),
  ])
  const sum = (all: readonly number[]) => all.reduce((one, other) => one + other, 0)
  const own = past.filter(({ id }) => id === session)
  return {
    live: [
      sum(agents.flatMap(({ tool_counts }) => Object.values(tool_counts))),
      sum(agents.map((a) => a.errors)),
    ],
    store: [sum(store.agents.map((a) => a.tool_use_count)), sum(store.agents.map((a) => a.errors))],
    sessions: [sum(own.map((one) => one.tool_calls)), sum(own.map((one) => one.errors))],
    stats: [sum(stats.map((row) => row.tool_calls ?? 0)), sum(stats.map((row) => row.errors ?? 0))],
    tools: [sum(tools.map((tool) => tool.calls)), sum(tools.map((tool) => tool.errors))],
  }
}

it('counts denied calls but not as failed, and calls that the client refused as failed, in every module', async () => {
  const daemon = await start()
  await connect()
  const file = join(home().folder, '.claude', 'settings.json')
  const settings = JSON.parse(await readFile(file, 'utf8'))
  const command = "if grep -q forbidden; then echo 'Choose another way.' >&2; exit 2; fi"
  settings.permissions = { deny: ['Bash(rm:*)'] }
  settings.hooks.PreToolUse.push({ matcher: 'Bash', hooks: [{ type: 'command', command }] })
  await writeFile(file, JSON.stringify(settings))
  const { code, session, output } = await play('newest', {
    main: [
      { calls: [bash('rm -rf nothing')] },
      { calls: [bash('echo forbidden')] },
      // The client denies this call, because nobody can approve it without a terminal.
      { calls: [{ tool: 'Write', input: { file_path: join(workFolder(home()), 'new.txt'), content: 'x' } }] },
      { calls: [{ tool: 'NoSuchTool', input: {} }] },
      { calls: [{ tool: 'Read', input: { nothing: true } }] },
      { calls: [bash('exit 4')] },
      { calls: [bash('echo fine')] },
      { text: 'Done.' },
    ],
  })
  expect(code, output).toBe(0)
  const tools = { Bash: 4, Write: 1, NoSuchTool: 1, Read: 1 }
  await expectTree(daemon, session, [seen('main', { tools, errors: 3 })])
  const same = [7, 3]
  await expect
    .poll(() => counts(daemon, session), SLOWLY)
    .toEqual({ live: same, store: same, sessions: same, stats: same, tools: same })
})

it('counts the calls of a session once, even if it is forked at once and the fork is forked again', async () => {
  const daemon = await start()
  await connect()
  const script: Script = {
    main: [{ calls: [bash('echo one')] }, { text: 'One.' }, { calls: [bash('echo two')] }, { text: 'Two.' }],
  }
  const first = await play('newest', script)
  const fork = await play('newest', script, { forkOf: first.session })
  expect([first.code, fork.code], `${first.output}${fork.output}`).toEqual([0, 0])
  expect(fork.session).not.toBe(first.session)
  const second = await play('newest', script, { forkOf: fork.session })
  for (const { session } of [first, fork])
    await expectTree(daemon, session, [seen('main', { tools: { Bash: 1 } })])
  await expectTree(daemon, second.session, [seen('main')])
  const parents = async () => {
    const past = await get<readonly PastSession[]>(daemon, '/api/past/sessions')
    return [first, fork, second].map(({ session }) => past.find(({ id }) => id === session)?.parent_id)
  }
  await expect.poll(parents, SLOWLY).toEqual([null, first.session, fork.session])
  const told = async () => {
    const { live, store, sessions } = await counts(daemon, fork.session)
    return [live, store, sessions]
  }
  await expect.poll(told, SLOWLY).toEqual([
    [1, 0],
    [1, 0],
    [1, 0],
  ])
})
