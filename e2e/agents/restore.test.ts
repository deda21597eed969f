import { existsSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runCommand } from '../command.ts'
import { runClaude } from './claude.ts'
import { bash, startAgent } from './script.ts'
import { useStage } from './stage.ts'
import { CLAUDE_CODE, type ClientName } from './versions.ts'

const { home, start, model } = useStage()

/** Every file of the client that belongs to this session, with its bytes. */
async function filesOfSession(session: string): Promise<Map<string, string>> {
  const root = join(home().folder, '.claude')
  const files = new Map<string, string>()
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const isOwn = ['projects', 'file-history', 'tasks', 'todos'].some(
      (folder) => path.startsWith(join(root, folder)) && path.includes(session),
    )
    if (entry.isFile() && isOwn) files.set(path, await readFile(path, 'latin1'))
  }
  return files
}

const command = async (...words: string[]) => {
  const { code, stdout, stderr } = await runCommand(home(), words)
  expect(`${code} ${stderr}`).toMatch(/^0 /)
  return stdout
}

/** Records a session with a sub-agent, and returns it. */
async function record(client: ClientName): Promise<string> {
  const server = await model({
    main: [{ calls: [startAgent('survey'), bash('echo pump')] }, { text: 'The valve of the pump leaks.' }],
    survey: [{ text: 'Looked at the pump.' }],
  })
  const { code, session, output } = await runClaude({ client, home: home(), model: server.address })
  expect(code, output).toBe(0)
  return session
}

it.each(Object.keys(CLAUDE_CODE) as ClientName[])(
  'Claude Code (%s) continues a session whose deleted files Panoptes restored',
  async (client) => {
    await command('config', 'set', 'archive.originals', 'true')
    const session = await record(client)
    await command('sessions', 'list')
    const before = await filesOfSession(session)
    const transcript = [...before.keys()].find((path) => path.endsWith(`${session}.jsonl`)) ?? ''
    expect(before.get(transcript)).toContain('The valve of the pump leaks.')
    expect([...before.keys()].some((path) => path.includes('subagents'))).toBe(true)
    for (const path of before.keys()) await rm(path)

    // One of them is restored with a running daemon, and the other one without.
    if (client === 'newest') await start()
    expect(await command('sessions', 'restore', session)).toContain(`claude --resume ${session}`)
    expect(await filesOfSession(session)).toEqual(before)

    const server = await model({ main: [] })
    const resumed = await runClaude({ client, home: home(), model: server.address, resume: session })
    expect(resumed.code, resumed.output).toBe(0)
    expect(resumed.session).toBe(session)
    expect(server.told.at(-1)).toContain('The valve of the pump leaks.')
    expect(existsSync(transcript)).toBe(true)
    expect((await readFile(transcript, 'latin1')).startsWith(before.get(transcript) ?? '-')).toBe(true)
  },
)
