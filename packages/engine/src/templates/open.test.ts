import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import type { Message, Result, SessionRef } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openTemplates, type TemplatesOptions } from './open.ts'
import type { Past, SessionWork } from './session-history.ts'

const NOW = 1_800_000_000_000
const SOURCE = 'claude-code'

let store: EventStore
const top = mkdtempSync(join(tmpdir(), 'panoptes-templates-'))
beforeAll(async () => {
  store = good(await openSqliteStore(join(top, 'ledger.db')))
})
afterAll(async () => {
  await store.close()
  rmSync(top, { recursive: true, force: true })
})

function good<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`)
  return result.value
}

/** What a session did, as in the index. */
const work = (id: string, fields: Partial<SessionWork> = {}): SessionWork => ({
  source: SOURCE,
  id,
  title: id,
  project: 'shop',
  started_at: NOW + 1_000,
  last_at: NOW + 60_000,
  ended_at: NOW + 60_000,
  turns: 10,
  tool_calls: 10,
  errors: 0,
  tokens: 1_000,
  tools: [{ tool: 'Bash', calls: 10, errors: 0 }],
  ...fields,
})

const message = (role: Message['role'], content: Message['content']): Message =>
  ({ agent_id: 'main', role, ts: NOW, model: null, usage: null, state: 'active', content }) as Message

/** Past sessions in memory, with two calls each, of which the first succeeded. */
const pastOf = (works: readonly SessionWork[]): Past => ({
  opening: async ({ source, id }) => {
    const found = works.find((one) => one.source === source && one.id === id)
    if (!found) return failure('not_found', `There is no session ${id}.`)
    const session = { ...found, cwd: '/srv/shop' } as never
    return success({
      session,
      messages: [
        message('assistant', [
          { type: 'tool_call', id: 'a', tool: 'Bash', input: { command: 'make' } },
          { type: 'tool_call', id: 'b', tool: 'Bash', input: { command: 'make test' } },
        ]),
        message('tool', [
          { type: 'tool_result', id: 'a', ok: true, text: 'made', duration_ms: null },
          { type: 'tool_result', id: 'b', ok: false, text: 'no', duration_ms: null },
        ]),
      ],
    })
  },
  works: async ({ of, project, limit }) =>
    success(
      works
        .filter(
          (one) => of === undefined || of.some(({ source, id }) => one.source === source && one.id === id),
        )
        .filter((one) => project === undefined || one.project === project)
        .slice(0, limit),
    ),
})

let made = 0
function openIn(works: readonly SessionWork[], options: Partial<TemplatesOptions> = {}) {
  made += 1
  const home = join(top, String(made))
  const folder = join(home, 'templates')
  const hermesFolder = join(home, 'hermes', 'session-templates')
  const templates = openTemplates({
    folder,
    hermesFolder,
    templateUses: store.templateUses,
    past: pastOf(works),
    outcomes: async () => success(new Map()),
    experiment: null,
    own: {},
    home,
    now: () => NOW + made,
    ...options,
  })
  return { folder, hermesFolder, templates }
}

const ref = (session_id: string) => ({ source: SOURCE, session_id })
const session = (id: string): SessionRef => ({ source: SOURCE, id })

it('makes a template of successful calls and remembers its session', async () => {
  const { templates, folder } = openIn([work('one')])
  const { file } = good(await templates.create({ ...ref('one'), name: 'mine' }))
  expect(file).toBe(join(folder, 'mine.json'))
  const { template, notes, place } = good(await templates.show('mine'))
  expect(template.examples.map(({ result }) => result)).toEqual(['made'])
  expect(notes).toMatchObject({ source: SOURCE, title: 'one', project: 'shop' })
  expect(place).toBe('panoptes')
  expect(await templates.create({ ...ref('one'), name: 'mine' })).toMatchObject({ ok: false })
  expect(await templates.create({ ...ref('nobody') })).toMatchObject({ ok: false, code: 'not_found' })
})

it('counts uses of our templates in their files, and those of Hermes separately', async () => {
  const { templates, hermesFolder } = openIn([work('one')])
  await mkdir(hermesFolder, { recursive: true })
  const file = join(hermesFolder, 'theirs.json')
  const example = { tool_name: 'terminal', arguments: {}, result: 'ok', success: true }
  const text = JSON.stringify({
    name: 'theirs',
    task_type: 'code',
    examples: [example],
    created_at: 7,
    usage_count: 2,
  })
  await writeFile(file, text)
  good(await templates.create({ ...ref('one'), name: 'ours' }))
  for (const name of ['ours', 'theirs', 'theirs']) good(await templates.inject({ name, for: 'openai' }))
  const { templates: all } = good(await templates.list())
  expect(all.map(({ name, usage_count, effect }) => [name, usage_count, effect.verdict])).toEqual([
    ['ours', 1, 'no_evidence'],
    ['theirs', 4, 'no_evidence'],
  ])
  expect(await readFile(file, 'utf8')).toBe(text)
  expect(await templates.remove('theirs')).toMatchObject({ ok: false, code: 'invalid' })
})

it('prefers our template to one of Hermes with the same name, unless the folder is given', async () => {
  const { templates, hermesFolder } = openIn([work('one')])
  good(await templates.create({ ...ref('one'), name: 'same' }))
  await mkdir(hermesFolder, { recursive: true })
  const example = { tool_name: 'terminal', arguments: {}, result: 'theirs', success: true }
  await writeFile(
    join(hermesFolder, 'same.json'),
    JSON.stringify({ name: 'same', task_type: 'code', examples: [example], created_at: 7 }),
  )
  expect(good(await templates.show('same')).place).toBe('panoptes')
  expect(good(await templates.show('same', 'panoptes')).place).toBe('panoptes')
  expect(good(await templates.show('same', 'hermes')).template.examples).toEqual([example])
  good(await templates.inject({ name: 'same', place: 'hermes', for: 'openai' }))
  expect(good(await templates.list()).templates.map(({ place, usage_count: n }) => [place, n])).toEqual([
    ['panoptes', 0],
    ['hermes', 1],
  ])
  good(await templates.remove('same'))
  expect(good(await templates.show('same')).place).toBe('hermes')
  expect(await templates.show('same', 'panoptes')).toMatchObject({ ok: false, code: 'not_found' })
})

it('rejects a missing template, an unsuitable conversation and contradictory options', async () => {
  const { templates } = openIn([work('one')])
  const messages = [{ role: 'user', content: 'hello' }]
  expect(good(await templates.inject({ type: 'code', for: 'openai', messages }))).toMatchObject({
    template: null,
    output: messages,
    reasons: ['There is no template for code work.'],
  })
  expect(await templates.inject({ name: 'none', for: 'openai' })).toMatchObject({
    code: 'not_found',
    message: 'Template not found: none',
  })
  const foreign = [{ role: 'tool', tool_call_id: 'a', content: 'x' }]
  expect(await templates.inject({ type: 'code', for: 'anthropic', messages: foreign })).toMatchObject({
    code: 'invalid',
    message: expect.stringMatching(/^messages\.0 has the role "tool"/),
  })
  expect(await templates.inject({ for: 'openai' })).toMatchObject({ code: 'invalid' })
  expect(await templates.inject({ name: 'a', auto: true, for: 'openai' })).toMatchObject({ code: 'invalid' })
})

it('counts a session once and repeats its template after a compaction', async () => {
  const { templates } = openIn([work('one')])
  good(await templates.create({ ...ref('one'), name: 'again' }))
  const start = { source: SOURCE, session_id: 'repeated', cwd: '/srv/shop' }
  const first = good(await templates.atStart({ ...start, began: 'startup' }))
  expect(first.template).toBe('again')
  expect(good(await templates.atStart({ ...start, began: 'compact' })).output).toEqual(first.output)
  expect(good(await templates.atStart({ ...start, began: 'resume' })).output).toBe(null)
  good(await templates.inject({ auto: true, for: 'openai', session: session('repeated'), project: 'shop' }))
  expect(good(await templates.show('again')).template.usage_count).toBe(1)
})

it('counts a session once per template, even if it starts twice at once', async () => {
  const { templates } = openIn([work('one')])
  for (const name of ['left', 'right']) good(await templates.create({ ...ref('one'), name }))
  const give = (name: string) => templates.inject({ name, for: 'openai', session: session('both') })
  await Promise.all(['left', 'left', 'right', 'right', 'left'].map(give))
  for (const name of ['left', 'right']) {
    expect(good(await templates.show(name)).template.usage_count).toBe(1)
    expect(good(await store.templateUses.injections({ template: name }))).toHaveLength(1)
  }
})

it('assigns sessions at random in an experiment and records both sides', async () => {
  const { templates } = openIn([work('one')], { experiment: 0.5 })
  good(await templates.create({ ...ref('one'), name: 'drawn' }))
  const told = []
  for (let n = 0; n < 40; n += 1) {
    const start = { source: SOURCE, session_id: `lot${n}`, began: 'startup', cwd: '/srv/shop' }
    told.push(good(await templates.atStart(start)).template)
  }
  const given = told.filter((name) => name === 'drawn').length
  expect(given).toBeGreaterThan(5)
  expect(given).toBeLessThan(35)
  const rows = good(await store.templateUses.injections({ template: 'drawn' }))
  expect(rows.every(({ drawn }) => drawn)).toBe(true)
  expect(rows.filter(({ arm }) => arm === 'with')).toHaveLength(given)
  expect(rows.filter(({ arm }) => arm === 'without')).toHaveLength(40 - given)
  expect(good(await templates.show('drawn')).template.usage_count).toBe(given)
})

it('reports the outcomes of sessions with a template', async () => {
  const many = (from: string, errors: number) =>
    Array.from({ length: 12 }, (_, n) =>
      work(`${from}${n}`, { errors: errors + (n % 2), tools: [{ tool: 'Bash', calls: 10, errors }] }),
    )
  const { templates } = openIn([...many('with', 0), ...many('without', 6)])
  good(await templates.create({ ...ref('with0'), name: 'good' }))
  for (let n = 0; n < 12; n += 1)
    good(await templates.inject({ name: 'good', for: 'claude-hook', session: session(`with${n}`) }))
  const effect = good(await templates.effect('good'))
  expect(effect).toMatchObject({
    with_sessions: 12,
    without_sessions: 12,
    verdict: 'helps',
    randomised: false,
  })
  const { templates: listed } = good(await templates.list())
  expect(listed[0]?.effect).toMatchObject({ says: effect.says, tool_errors: { reading: 'fewer' } })
  expect(good(await templates.effects()).map(({ says }) => says)).toEqual([effect.says])
})

it('suggests recent sessions, but none that has a template', async () => {
  const works = [work('one'), work('two', { tools: [{ tool: 'execute_code', calls: 10, errors: 0 }] })]
  const past = pastOf(works)
  const { templates } = openIn(works, {
    past: {
      ...past,
      // A suggestion needs at least five calls, so this history repeats its two calls three times.
      opening: async (ref, turns) => {
        const opened = await past.opening(ref, turns)
        if (!opened.ok) return opened
        const { session, messages } = opened.value
        return success({ session, messages: [...messages, ...messages, ...messages] })
      },
    },
  })
  good(await templates.create({ ...ref('one'), name: 'had' }))
  const found = good(await templates.suggest({ days: 30, limit: 5 }))
  expect(found.map(({ id }) => id)).toEqual(['two'])
})
