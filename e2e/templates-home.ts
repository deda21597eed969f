import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeHome, type TestHome } from './command.ts'

/** The session that the templates of these tests come from. */
const GOOD = 'a7c1f0de-4d2b-4f6e-9a51-0c6f5be0d111'
export const HOSTILE = '<img src=x onerror="document.title=1">'

type Call = readonly [tool: string, input: object, result: string, failed?: boolean]

const calls: readonly Call[] = [
  ['Grep', { pattern: 'enqueueRetry' }, 'src/retry.ts:31'],
  ['Read', { file_path: '/home/dev/atlas/src/retry.ts' }, HOSTILE],
  ['Bash', { command: 'npm test' }, 'Exit code 1\n1 failed', true],
  ['Edit', { file_path: '/home/dev/atlas/src/retry.ts', old_string: 'a', new_string: 'b' }, '1 replaced'],
  ['Bash', { command: `curl -H "Authorization: Bearer ${'k3J9x'.repeat(8)}" localhost` }, 'ok'],
  ['Bash', { command: 'npm test' }, '38 passed'],
  ['Bash', { command: 'git status' }, 'nothing to commit'],
]

/** A home with one session worth a template, a Hermes template, and an invalid file. */
export async function homeWithTemplates(): Promise<TestHome> {
  const home = await makeHome()
  const sessions = join(home.folder, '.claude', 'projects', '-home-dev-atlas')
  const ours = join(home.panoptes, 'templates')
  const hermes = join(home.folder, '.hermes', 'session-templates')
  for (const folder of [sessions, ours, hermes]) await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(join(sessions, `${GOOD}.jsonl`), transcript(Date.now() - 3_600_000))
  await writeFile(join(ours, 'half.json'), '{"name": "half", "task_ty')
  await writeFile(join(hermes, 'morning.json'), JSON.stringify(morning))
  return home
}

const morning = {
  name: 'morning',
  task_type: 'research',
  examples: [{ tool_name: 'web_search', arguments: { query: 'news' }, result: 'three hits', success: true }],
  description: 'Begins the day',
  created_at: 1_767_225_600,
  usage_count: 2,
  source_session_id: 'hermes-1',
}

function transcript(begin: number): string {
  const row = (n: number, role: string, content: unknown) => ({
    type: role,
    uuid: `g${n}`,
    timestamp: new Date(begin + n * 1_000).toISOString(),
    cwd: '/home/dev/atlas',
    message: { id: `gm${n}`, role, model: 'claude-opus-4-8', content },
  })
  const rows = calls.flatMap(([name, input, content, failed = false], i) => [
    row(2 * i + 1, 'assistant', [{ type: 'tool_use', id: `c${i}`, name, input }]),
    row(2 * i + 2, 'user', [{ type: 'tool_result', tool_use_id: `c${i}`, content, is_error: failed }]),
  ])
  return [row(0, 'user', 'Retry queue loses the last job'), ...rows]
    .map((each) => `${JSON.stringify(each)}\n`)
    .join('')
}
