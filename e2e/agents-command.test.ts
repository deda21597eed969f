import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { collect, exitOf, makeHome, runCommand, spawnCommand, type TestHome } from './command.ts'
import { type Daemon, startDaemon } from './daemon.ts'
import { post } from './page-kit.ts'

let home: TestHome
let daemon: Daemon
beforeEach(async () => {
  home = await makeHome()
  daemon = await startDaemon({ home })
})
afterEach(async () => {
  await daemon.stop()
  await home.remove()
})

const tell = (events: readonly Readonly<Record<string, unknown>>[]) =>
  post(
    daemon,
    events.map((event) => ({ session_id: 's1', source: 'claude-code', ...event })),
  )
const STORY = [
  { event: 'prompt', agent_id: 'main', prompt_preview: 'go' },
  { event: 'agent_spawn', id: 'a1', parent_id: 'main', subagent_type: 'Explore' },
  { event: 'tool_use', id: 't1', agent_id: 'a1', tool: 'Bash' },
]

describe('panoptes agents', () => {
  it("prints the tree, and the API's answer with --json", async () => {
    await tell(STORY)
    const shown = await runCommand(home, ['agents'])
    expect(shown).toMatchObject({ code: 0, stderr: '' })
    expect(shown.stdout).toMatch(/claude-code · session s1\n {2}main +● Working/)
    expect(shown.stdout).toMatch(/└─ Explore a1 +● Working +– +Bash/)
    const { stdout } = await runCommand(home, ['agents', '--json'])
    expect(JSON.parse(stdout)).toEqual(await (await daemon.request('/api/agents')).json())
  })

  it('filters by session and state, and refuses an unknown state', async () => {
    await tell(STORY)
    await tell([{ event: 'agent_done', id: 'a1' }])
    const of = async (...args: string[]) =>
      (JSON.parse((await runCommand(home, ['agents', '--json', ...args])).stdout) as { id: string }[]).map(
        ({ id }) => id,
      )
    expect(await of('--state', 'done')).toEqual(['a1'])
    expect(await of('--session', 'nobody')).toEqual([])
    expect((await runCommand(home, ['agents', '--state', 'idle'])).code).toBe(2)
  })

  it('reads the store itself while Panoptes is stopped', async () => {
    await tell(STORY)
    const before = JSON.parse((await runCommand(home, ['agents', '--json'])).stdout)
    await daemon.stop()
    expect(JSON.parse((await runCommand(home, ['agents', '--json'])).stdout)).toEqual(before)
    expect((await runCommand(home, ['watch'])).code).toBe(3)
  })
})

describe('panoptes watch', () => {
  it('prints a line for each change without a terminal, and ends cleanly on Ctrl-C', async () => {
    await tell(STORY)
    const child = spawnCommand(home, ['watch'])
    const stdout = collect(child, 'stdout')
    const ended = exitOf(child)
    await expect.poll(stdout).toMatch(/Explore a1 {2}● Working {2}Bash/)
    await tell([{ event: 'agent_done', id: 'a1', outcome: 'functional' }])
    await expect.poll(stdout).toMatch(/Explore a1 {2}✓ Done {2}Bash {2}functional/)
    child.kill('SIGINT')
    expect(await ended).toBe(0)
  })

  it('follows the next Panoptes after the first one was stopped', async () => {
    const child = spawnCommand(home, ['watch', '--json'])
    const stdout = collect(child, 'stdout')
    const stderr = collect(child, 'stderr')
    const ended = exitOf(child)
    await tell(STORY)
    await expect.poll(stdout).toContain('"id":"a1"')
    await daemon.stop()
    daemon = await startDaemon({ home })
    await tell([{ event: 'agent_spawn', id: 'later', parent_id: 'main' }])
    await expect.poll(stdout).toContain('"id":"later"')
    expect(stderr()).toBe('')
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })
})
