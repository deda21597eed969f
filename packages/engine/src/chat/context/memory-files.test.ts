import { mkdir, mkdtemp, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConversationWindow } from '@panoptes/engine/store'
import { failure, success } from '@panoptes/schema/result'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { workMs } from '../cpu-time.test-kit.ts'
import type { RecalledMessage, RecallOptions } from './dependencies.ts'
import { filesSection } from './files.ts'
import { createMemoryReader, userMemory } from './memory-files.ts'
import type { SectionInput } from './port.ts'
import { knowledgeBrain, recalledMemory } from './recall-sections.ts'
import { createTemplateLoader } from './template.ts'

const about = (message = 'tea?', since = 100): SectionInput => ({
  conversation: { id: 'chat-1', messages: [{ id: 'm1', ts: 150 }] } as unknown as ConversationWindow,
  message,
  folder: '/home/ann/tea',
  since,
})
const signal = new AbortController().signal

describe('memory files of other agents', () => {
  let home: string
  let project: string
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'panoptes-memory-'))
    project = join(home, 'tea')
    const notes = join(home, '.claude', 'projects', project.replace(/[^a-zA-Z0-9]/g, '-'), 'memory')
    await mkdir(join(home, '.hermes', 'memories'), { recursive: true })
    await mkdir(notes, { recursive: true })
    await mkdir(project)
    await writeFile(join(home, '.hermes', 'memories', 'USER.md'), 'Likes tea\n§\nLives in Bern')
    await writeFile(join(home, '.hermes', 'memories', 'MEMORY.md'), 'The kettle is slow')
    await writeFile(join(home, '.claude', 'CLAUDE.md'), '# Style\nShort words.\n# Tests\nReal files.')
    await writeFile(join(project, 'CLAUDE.md'), '---\nname: tea\n---\nUse npm.')
    await writeFile(join(notes, 'kettle.md'), 'It whistles.')
    await writeFile(join(notes, 'MEMORY.md'), '- kettle.md')
  })
  afterEach(() => rm(home, { recursive: true, force: true }))
  const read = () => createMemoryReader({ hermes: join(home, '.hermes'), claude: join(home, '.claude') })

  it('are read entry by entry and never written', async () => {
    const before = await readdir(home, { recursive: true })
    expect(await read()(project)).toEqual({
      items: [
        'Hermes, of the person: Likes tea',
        'Hermes, of the person: Lives in Bern',
        'Hermes, of its work: The kettle is slow',
        'Claude Code: # Style\nShort words.',
        'Claude Code: # Tests\nReal files.',
        'Claude Code, of this project: Use npm.',
        'Claude Code, of this project, MEMORY.md: - kettle.md',
        'Claude Code, of this project, kettle.md: It whistles.',
      ],
      unread: [],
      leftOut: 0,
    })
    expect(await readdir(home, { recursive: true })).toEqual(before)
  })

  it('are read again only after they changed', async () => {
    const files = read()
    await files(project)
    await writeFile(join(home, '.hermes', 'memories', 'USER.md'), 'Likes coffee now')
    expect((await files(project)).items[0]).toBe('Hermes, of the person: Likes coffee now')
  })

  it('are empty if no such agent is installed', async () => {
    const none = createMemoryReader({ hermes: join(home, 'no'), claude: null })
    expect(await none(join(home, 'nowhere'))).toEqual({ items: [], unread: [], leftOut: 0 })
  })

  it('are read up to a limit, and a folder in their place is ignored', async () => {
    await rm(join(home, '.hermes', 'memories', 'USER.md'))
    await mkdir(join(home, '.hermes', 'memories', 'USER.md'))
    await writeFile(join(home, '.hermes', 'memories', 'MEMORY.md'), 'line of text\n'.repeat(20_000))
    const { items, leftOut } = await read()(project)
    expect(items.join('').length).toBeLessThan(80_000)
    expect(Math.max(...items.map((item) => item.length))).toBeLessThan(3_200)
    expect(leftOut).toBe(1)
    expect((await stat(join(home, '.hermes', 'memories', 'MEMORY.md'))).size).toBe(260_000)
  })

  it('are not followed out of a project, and are reported as unread', async () => {
    await rm(join(project, 'CLAUDE.md'))
    await writeFile(join(home, 'secret.md'), 'SECRET')
    await symlink('../secret.md', join(project, 'CLAUDE.md'))
    await writeFile(join(project, 'AGENTS.md'), 'Use pnpm.')
    await symlink('AGENTS.md', join(project, 'CLAUDE.local.md'))
    const { items, unread } = await read()(project)
    expect(items.join()).not.toContain('SECRET')
    expect(items).toContain('Claude Code, of this project: Use pnpm.')
    expect(unread).toEqual(['Claude Code, of this project'])
  })

  it('are reported as unread, not absent, if they cannot be opened', async () => {
    const file = join(home, '.hermes', 'memories', 'USER.md')
    await rm(file)
    await symlink(file, file)
    expect((await read()(project)).unread).toEqual(['Hermes, of the person'])
  })
})

describe('user memory section', () => {
  const fact = (text: string) => ({ id: text, text, ts: 1 })
  const none = { items: [], unread: [], leftOut: 0 }

  it('lists the newest fact first, then what other agents remember', async () => {
    const memory = userMemory({
      facts: async () => success([fact('old'), fact('new')]),
      loadAgentMemory: async () => ({ ...none, items: ['Hermes: tea'], leftOut: 2 }),
    })
    expect(await memory.load(about(), signal)).toEqual(
      success({ items: ['new', 'old', 'Hermes: tea'], leftOut: 2 }),
    )
  })

  it('has a maximum number of items and counts the rest', async () => {
    const many = Array.from({ length: 700 }, (_, n) => fact(`fact ${n}`))
    const memory = userMemory({
      facts: async () => success(many),
      loadAgentMemory: async () => ({
        ...none,
        items: many.map(({ text }) => `Hermes: ${text}`),
        leftOut: 1,
      }),
    })
    const loaded = await memory.load(about(), signal)
    expect(loaded).toMatchObject({ value: { leftOut: 401 } })
    expect(loaded.ok && loaded.value.items).toHaveLength(1_000)
  })

  it('is unavailable if nothing could be read, and names what is missing if something could', async () => {
    const facts = async () => failure('io', 'away')
    const alone = userMemory({ facts, loadAgentMemory: async () => none })
    expect(await alone.load(about(), signal)).toMatchObject({ ok: false })
    const unread = userMemory({
      facts: async () => success([]),
      loadAgentMemory: async () => ({ ...none, unread: ['Hermes'] }),
    })
    expect(await unread.load(about(), signal)).toMatchObject({
      ok: false,
      message: 'could not be read: Hermes',
    })
    const partly = userMemory({ facts, loadAgentMemory: async () => ({ ...none, items: ['Hermes: tea'] }) })
    expect(await partly.load(about(), signal)).toMatchObject({
      value: { items: ['Hermes: tea'], note: 'could not be read: remembered facts' },
    })
  })
})

describe('recalled memory section', () => {
  const said = (text: string, more: Partial<RecalledMessage> = {}): RecalledMessage => ({
    source: 'codex',
    session_id: 's',
    title: 'About tea',
    message_id: null,
    role: 'user',
    ts: Date.UTC(2026, 0, 2),
    text,
    ...more,
  })

  it('names its origin and omits duplicates and what the model already sees', async () => {
    const asked: RecallOptions[] = []
    const here = { source: 'panoptes', session_id: 'chat-1' }
    const memory = recalledMemory(async (_query, options) => {
      asked.push(options)
      return success({
        found: [
          said('green'),
          said('green ', { session_id: 't' }),
          said('now', { ...here, message_id: 'm1', ts: null }),
          said('also now', { ...here, ts: 100 }),
          said('long ago', { ...here, ts: 99, role: 'assistant', title: null }),
        ],
        total: 25,
      })
    })
    expect(await memory.load(about(), signal)).toEqual(
      success({
        items: [
          '2026-01-02 · codex · About tea · the person:\ngreen',
          '1970-01-01 · panoptes · the agent:\nlong ago',
        ],
        leftOut: 20,
        note: undefined,
      }),
    )
    expect(asked[0]).toMatchObject({ except: { ...here, since: 100 } })
  })

  it('reports that the search was not possible', async () => {
    expect(await recalledMemory(async () => failure('busy', 'not now')).load(about(), signal)).toMatchObject({
      message: 'not now',
    })
    expect(await knowledgeBrain(async () => failure('io', 'away')).load(about(), signal)).toMatchObject({
      message: 'away',
    })
  })

  it('names the file and the headings of a note', async () => {
    const notes = knowledgeBrain(async () =>
      success({
        found: [{ file: 'notes/tea.md', headings: ['Tea', 'Green'], text: 'x'.repeat(5_000) }],
        total: 3,
      }),
    )
    const loaded = await notes.load(about(), signal)
    expect(loaded).toMatchObject({ value: { leftOut: 2 } })
    const [item = ''] = loaded.ok ? loaded.value.items : []
    expect(item.startsWith('notes/tea.md › Tea › Green:\nxxx')).toBe(true)
    expect(item.length).toBeLessThan(1_300)
  })
})

describe('template section', () => {
  it('returns the template text and counts it as used by this conversation', async () => {
    const asked: unknown[] = []
    const inject = async (input: unknown) => {
      asked.push(input)
      return success({
        template: 'tidy',
        task_type: null,
        reasons: [],
        output: { hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'Begin so.' } },
      })
    }
    const from = createTemplateLoader({ inject } as unknown as Parameters<typeof createTemplateLoader>[0])
    expect(await from('tidy', 'chat-1')).toEqual(success({ items: ['Begin so.'] }))
    expect(asked).toEqual([
      { name: 'tidy', for: 'claude-hook', session: { source: 'panoptes', id: 'chat-1' } },
    ])
  })
})

describe('files section', () => {
  const text = (name: string, words: string) => ({ name, media_type: 'text/plain', text: words })

  it('fences text files with their names and passes others on unchanged', () => {
    const section = filesSection(
      [
        text('a.md', 'one'),
        { name: 'b.json', media_type: 'application/json', data: btoa('{}') },
        { name: 'c.png', media_type: 'image/png', data: 'AAAA' },
      ],
      1_000,
    )
    expect(section).toMatchObject({ status: 'ok', items: 3, left_out: 0, note: '1 sent unchanged' })
    expect(section.text).toContain('a.md (text/plain)\n\none')
    expect(section.text).toContain('b.json (application/json)\n\n{}')
    expect(section.text).not.toContain('c.png')
  })

  it('cuts large files in the middle to a fair share and keeps small ones whole', () => {
    const section = filesSection(
      [text('small', 'tiny'), text('large', `begin ${'x'.repeat(90_000)} end`)],
      1_000,
    )
    expect(section).toMatchObject({ truncated: true, note: '1 shortened in the middle' })
    expect(section.text).toContain('tiny')
    expect(section.text).toMatch(/begin x+\n… [\d,]+ characters cut …\nx+ end/)
    expect(section.tokens).toBeLessThanOrEqual(1_000)
  })

  it('takes no longer for huge files', () => {
    const huge = Array.from({ length: 20 }, (_, n) =>
      text(`${n}`, Buffer.alloc(8_000_000, `words and words ${n} `).toString()),
    )
    expect(workMs(() => filesSection(huge, 8_000))).toBeLessThan(500)
    expect(filesSection(huge, 8_000).tokens).toBeLessThanOrEqual(8_000)
  })
})
