import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CreatedTemplate, InjectReply } from '@panoptes/schema'
import { AGENT_PLACES } from '../commands/service/service.ts'
import type { Client } from '../daemon/client.ts'
import { jsonRequest } from '../json-requests.ts'

/**
 * Builds the environment of the demo: agent folders are in the demo home, so that no session of the user
 * appears.
 */
export function demoEnvironment(env: NodeJS.ProcessEnv, home: string): NodeJS.ProcessEnv {
  const entries = Object.entries(env).filter(([name]) => !AGENT_PLACES.some((place) => place === name))
  return { ...Object.fromEntries(entries), HOME: join(home, 'agents') }
}

const MINUTE_MS = 60_000
const PROJECT = '/demo/notes'

const DEMO_SESSIONS = ['demo-0001', 'demo-0002'] as const

/**
 * Writes two small sessions in the format of Claude Code, so that the pages for past sessions have content.
 */
export async function writeDemoSessions({ HOME = '' }: NodeJS.ProcessEnv, now: number): Promise<void> {
  const folder = join(HOME, '.claude', 'projects', '-demo-notes')
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const [first, second] = DEMO_SESSIONS
  await Promise.all([
    writeFile(join(folder, `${first}.jsonl`), transcriptLines(first, now - 90 * MINUTE_MS, parser())),
    writeFile(join(folder, `${second}.jsonl`), transcriptLines(second, now - 30 * MINUTE_MS, release())),
  ])
}

type Turn = readonly ['user' | 'assistant', string | readonly object[]]

const parser = (): readonly Turn[] => [
  [
    'user',
    'The parser loses the last line when a file has no newline at its end. Add a test and correct it.',
  ],
  ['assistant', [say('I read the parser first.'), call('t1', 'Read', { file_path: `${PROJECT}/parser.js` })]],
  ['user', [result('t1', "export const lines = (text) => text.split('\\n').slice(0, -1)")]],
  ['assistant', [call('t2', 'Bash', { command: 'npm test' })]],
  ['user', [result('t2', '1 failed: keeps the last line', true)]],
  [
    'assistant',
    [
      call('t3', 'Edit', {
        file_path: `${PROJECT}/parser.js`,
        old_string: "text.split('\\n').slice(0, -1)",
        new_string: "text.replace(/\\n$/, '').split('\\n')",
      }),
    ],
  ],
  ['user', [result('t3', 'The file was changed.')]],
  ['assistant', [call('t4', 'Bash', { command: 'npm test' })]],
  ['user', [result('t4', '12 passed')]],
  ['assistant', [say('A last line without a newline is kept now, and a test holds it.')]],
]

const release = (): readonly Turn[] => [
  ['user', 'What changed since the last release? Keep it to three lines.'],
  ['assistant', [call('t1', 'Bash', { command: 'git log --oneline -3' })]],
  ['user', [result('t1', 'a1 Keep the last line\nb2 Search in titles\nc3 Faster start')]],
  ['assistant', [say('- The last line of a file is kept.\n- Titles are searched.\n- It starts faster.')]],
]

const say = (text: string) => ({ type: 'text', text })
const call = (id: string, name: string, input: object) => ({ type: 'tool_use', id, name, input })
const result = (id: string, content: string, failed = false) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
  is_error: failed,
})

/** The rows of a transcript, half a minute apart. */
function transcriptLines(session: string, from: number, turns: readonly Turn[]): string {
  const rows = turns.map(([role, content], at) => ({
    type: role,
    uuid: `${session}-${at}`,
    parentUuid: at === 0 ? null : `${session}-${at - 1}`,
    sessionId: session,
    cwd: PROJECT,
    timestamp: new Date(from + (at * MINUTE_MS) / 2).toISOString(),
    message:
      role === 'user' ? { role, content } : { role, content, id: `${session}-m${at}`, ...usageFields(at) },
  }))
  return `${rows.map((row) => JSON.stringify(row)).join('\n')}\n`
}

const usageFields = (at: number) => ({
  model: 'claude-sonnet-4-5',
  usage: { input_tokens: 1_200 + 300 * at, output_tokens: 90 + 20 * at },
})

const NAME = 'notes_parser'
const [made, began] = DEMO_SESSIONS

/**
 * Creates a template from one session and uses it in the other, so that the page for templates has content.
 */
export async function createDemoTemplate(client: Client): Promise<void> {
  const source = 'claude-code'
  await client.json<CreatedTemplate>('/api/templates', jsonRequest({ source, session_id: made, name: NAME }))
  await client.json<InjectReply>(
    '/api/templates/inject',
    jsonRequest({ name: NAME, for: 'claude-hook', session: { source, id: began } }),
  )
}
