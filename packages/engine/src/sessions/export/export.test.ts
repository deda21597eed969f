import { createHash } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ExportFormat } from '@panoptes/schema'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unwrap } from '../../result.test-kit.ts'
import { openSessions, type Sessions } from '../index.ts'

const RECORDED = new URL('../../../../../fixtures/claude-code/transcripts', import.meta.url).pathname
const PARALLEL = 'ea691ccd-8a96-4a2d-838e-68211d44554b'
const HOSTILE = '11111111-2222-4333-8444-666666666666'
const SECRET =
  'sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-AbCdEfGhIjKl'
const EVIL = '</pre><script>alert(1)</script> \u001b[2J \u202etxt.exe \u0000 \ud800 end'

const LONG = 'x'.repeat(10_000_000)

let folder: string
let sessions: Sessions

const row = (n: number, type: string, content: unknown) =>
  JSON.stringify({
    type,
    uuid: `u${n}`,
    sessionId: HOSTILE,
    timestamp: `2026-11-15T09:00:0${n}Z`,
    message: {
      role: type,
      content,
      ...(type === 'assistant' ? { id: `m${n}`, model: 'claude-opus-4-8' } : {}),
    },
  })

const image = (media_type: string, data: string) => ({
  type: 'image',
  source: { type: 'base64', media_type, data },
})

const rows = [
  row(1, 'user', `# not a heading\n${EVIL}\n\`\`\`\`\`\n~~~\nunclosed`),
  row(2, 'assistant', [
    { type: 'text', text: 'Plain **prose**.\n\n```\nunclosed fence\n' },
    { type: 'thinking', thinking: 'a thought' },
    {
      type: 'tool_use',
      id: 't1',
      name: 'Bash',
      input: { command: `export API_KEY=${SECRET}`, note: '```\n# x' },
    },
  ]),
  row(3, 'user', [
    {
      type: 'tool_result',
      tool_use_id: 't1',
      is_error: true,
      content: `${'`'.repeat(40)}\n${EVIL} ${SECRET}`,
    },
  ]),
  row(4, 'user', [
    image('image/svg+xml', 'PHN2Zz4='),
    image('image/png', 'iVBORw0KGgo='),
    image('image/png', '"><b>'),
  ]),
  row(5, 'user', [{ type: 'text', text: `${LONG} ${SECRET}` }]),
]

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-export-test-'))
  cpSync(RECORDED, join(folder, 'projects'), { recursive: true })
  mkdirSync(join(folder, 'projects', '-hostile'))
  writeFileSync(join(folder, 'projects', '-hostile', `${HOSTILE}.jsonl`), `${rows.join('\n')}\n`)
  const env = { HOME: folder, CLAUDE_CONFIG_DIR: folder }
  const note = `mine ${SECRET}`
  const marked = {
    list: async () => ({
      ok: true as const,
      value: [{ source: 'claude-code', id: HOSTILE, tags: ['t'], note }],
    }),
  }
  sessions = unwrap(await openSessions({ file: join(folder, 'index.db'), env, marked }))
  unwrap(await sessions.refresh())
}, 180_000)
afterAll(async () => {
  await sessions.close()
  rmSync(folder, { recursive: true, force: true })
})

let files = 0
async function exported(id: string, format: ExportFormat): Promise<string> {
  files += 1
  const out = join(folder, 'out')
  mkdirSync(out, { recursive: true })
  const file = join(out, `${files}`)
  const { bytes } = unwrap(await sessions.export({ source: 'claude-code', id, format, file }))
  expect(bytes).toBe(statSync(file).size)
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(readdirSync(out)).toEqual([`${files}`])
  const text = readFileSync(file, 'utf8')
  rmSync(file)
  expect(text).not.toContain(SECRET.slice(0, 40))
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
  expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069\ufffe]/)
  expect(text.includes(LONG)).toBe(id === HOSTILE)
  return text.replace(LONG, 'x'.repeat(20))
}

describe('a session exported as JSON lines', () => {
  it('is complete and without secrets', async () => {
    const lines = (await exported(HOSTILE, 'jsonl')).trimEnd().split('\n')
    const [session, agent, first, called, gave, shown, long] = lines.map((line) => JSON.parse(line))
    expect(session).toMatchObject({ type: 'session', format: 1, id: HOSTILE, tags: ['t'] })
    expect(agent).toMatchObject({ type: 'agent', id: 'main', spent: expect.any(Object) })
    expect(first.content[0].text).toContain('\u202etxt.exe')
    expect(called).toMatchObject({ type: 'message', n: 1, cost_micro_usd: null })
    expect(called.content[2].input.command).toMatch(/^export API_KEY=\[redacted:/)
    expect(gave.content[0]).toMatchObject({ type: 'tool_result', ok: false, duration_ms: null })
    expect(shown.content[1]).toMatchObject({ data: 'iVBORw0KGgo=' })
    expect(long.content[0].text).toMatch(/^x{20} \[redacted:[\w-]+\]$/)
    expect(lines).toHaveLength(7)
  })
})

/** Returns the lines outside of fences and fails when a fence stays open. */
function outside(text: string): readonly string[] {
  let fence = ''
  const lines = text.split('\n').filter((line) => {
    if (fence === '') {
      fence = /^`{3,}/.exec(line)?.[0] ?? ''
      return fence === ''
    }
    if (line === fence) fence = ''
    return false
  })
  expect(fence).toBe('')
  return lines
}

describe('a session exported as Markdown', () => {
  it('cannot be broken out of', async () => {
    const lines = outside(await exported(HOSTILE, 'markdown'))
    const own = lines.filter((line) => !line.startsWith('>') && line !== '')
    expect(own.filter((line) => line.startsWith('#')).map((line) => line.replace(/ · .*/, ''))).toEqual([
      expect.stringMatching(/^# \\# not a heading/),
      '## user',
      '## assistant',
      '## tool',
      '## user',
      '## user',
    ])
    expect(own.join('\n')).not.toMatch(/<script|‹U\+001B›\[2J (?!‹)/)
    expect(lines).toContain('> Plain **prose**.')
    expect(lines).toContain('**Bash** failed after 1.0 s')
  })

  it('shows sub-agents where they were called', async () => {
    const lines = outside(await exported(PARALLEL, 'markdown'))
    const headings = lines.filter((line) => line.startsWith('#')).map((line) => line.split(' · ')[0])
    const begins = headings.flatMap((line, at) => (line?.startsWith('## Sub-agent') ? [at] : []))
    expect(begins).toHaveLength(3)
    expect(headings.slice(0, 3)).toEqual(['# RUN:parallel', '## user', '## assistant'])
    expect(begins[0]).toBe(3)
    for (const at of begins) expect(headings[at + 1]).toBe('### user')
    expect(headings.at(-1)).toBe('## assistant')
    expect(lines.filter((line) => line.startsWith('*— end of '))).toHaveLength(3)
  })
})

describe('a session exported as HTML', () => {
  it('runs nothing and loads nothing', async () => {
    const page = await exported(HOSTILE, 'html')
    const style = /<style>([\s\S]*?)<\/style>/.exec(page)?.[1] ?? ''
    const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? ''
    expect(policy).toContain(`style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`)
    expect(policy).toContain("default-src 'none'")
    expect(page).not.toMatch(/<script|<link|<iframe|<object|javascript:|\son\w+=/i)
    expect(page).toContain(
      '&lt;/pre&gt;&lt;script&gt;alert(1)&lt;/script&gt; ‹U+001B›[2J ‹U+202E›txt.exe ‹U+0000›',
    )
    expect([...page.matchAll(/<img[^>]*>/g)].map(([tag]) => tag)).toEqual([
      '<img alt="" src="data:image/png;base64,iVBORw0KGgo=">',
    ])
    expect([...page.matchAll(/<details class="([^"]*)"/g)].map(([, kind]) => kind)).toEqual([
      'thinking',
      'call',
      'result failed',
    ])
    expect(page).toContain('Bash failed in 1.0 s')
    expect(page.match(/<article/g)).toHaveLength(5)
    expect(page.match(/<article/g)?.length).toBe(page.match(/<\/article>/g)?.length)
    expect(page).toMatch(/<p class="note">mine \[redacted:/)
  })

  it('nests sub-agents in the call that created them', async () => {
    const page = await exported(PARALLEL, 'html')
    const parts = page.split('<details class="agent">')
    expect(parts).toHaveLength(4)
    expect(parts[0]?.match(/<article/g)).toHaveLength(2)
    expect(page.match(/<details/g)?.length).toBe(page.match(/<\/details>/g)?.length)
    expect(parts[1]).toContain('general-purpose')
  })

  it('fails for an unknown session', async () => {
    const file = join(folder, 'none')
    const refused = await sessions.export({ source: 'claude-code', id: 'none', format: 'html', file })
    expect(refused).toMatchObject({ ok: false, code: 'not_found' })
  })
})
