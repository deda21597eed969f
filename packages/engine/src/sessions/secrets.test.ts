import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BOUNDARIES, SECRET_KINDS } from '../redact/secrets.test-kit.ts'
import { unwrap } from '../result.test-kit.ts'
import { openSessions } from './index.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'panoptes-secrets-'))
  mkdirSync(join(folder, 'projects', 'p'), { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/**
 * Writes a session with the text in title, messages, tool input and tool output, and with the name in models,
 * tools and folders.
 */
function writeSession(number: number, text: string, name: string): void {
  const sessionId = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`
  const row = (type: string, at: number, content: unknown, more: object = {}) =>
    JSON.stringify({
      type,
      uuid: `${number}-${at}`,
      parentUuid: at === 0 ? null : `${number}-${at - 1}`,
      timestamp: new Date(Date.UTC(2026, 10, 15, 8, 0, at)).toISOString(),
      cwd: `/home/dev/${name}`,
      gitBranch: name,
      sessionId,
      message: { role: type, content, ...more },
    })
  const reply = { id: `msg_${number}`, type: 'message', model: name }
  const call = {
    type: 'tool_use',
    id: `toolu_${number}`,
    name,
    input: { command: text, deep: [text] },
  }
  const output = { type: 'tool_result', tool_use_id: call.id, content: text }
  const rows = [
    row('user', 0, text),
    row('assistant', 1, [{ type: 'text', text }, call], reply),
    row('user', 2, [output]),
  ]
  writeFileSync(join(folder, 'projects', 'p', `${sessionId}.jsonl`), `${rows.join('\n')}\n`)
}

describe('the session index', () => {
  it('stores no byte of any kind of key, wherever it occurs in a session', async () => {
    const secrets: string[] = []
    const texts: string[] = []
    for (const write of Object.values(BOUNDARIES))
      for (const make of Object.values(SECRET_KINDS)) {
        const secret = make()
        const { text, spelled } = write(secret)
        secrets.push(secret, spelled)
        texts.push(text)
      }
    // One session per boundary covers the titles; their messages contain all texts.
    const kinds = Object.keys(SECRET_KINDS).length
    for (let at = 0; at < texts.length; at += kinds)
      writeSession(
        at,
        [texts[at + (at % kinds)], ...texts.slice(at, at + kinds)].join(' '),
        texts[at + ((at / kinds) % kinds)] ?? '',
      )
    const file = join(folder, 'index.db')
    const env = { HOME: folder, CLAUDE_CONFIG_DIR: folder }
    const sessions = unwrap(await openSessions({ file, env }))
    unwrap(await sessions.refresh())
    const list = unwrap(await sessions.list({ limit: 100 }))
    expect(list).toHaveLength(Object.keys(BOUNDARIES).length)
    const hits = JSON.stringify(unwrap(await sessions.search({ text: 'redacted', limit: 100 })))
    expect(hits).toContain('[redacted:')
    await sessions.close()

    const files = readdirSync(folder).filter((name) => name.startsWith('index.db'))
    const bytes = files.map((name) => readFileSync(join(folder, name), 'latin1')).join('')
    const indexed = `${bytes}${JSON.stringify(list)}${hits}`.toLowerCase()
    // The index splits words at anything but letters and digits, lower-cases them and omits prefixes shared
    // with the previous word.
    const found = secrets.filter((secret) =>
      secret
        .split(/[^A-Za-z0-9]+/)
        .some((word) => word.length >= 16 && indexed.includes(word.slice(-12).toLowerCase())),
    )
    expect(found).toEqual([])
  }, 60_000)
})
