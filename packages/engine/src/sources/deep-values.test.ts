import { appendFileSync } from 'node:fs'
import { redactValue } from '@panoptes/engine/redact'
import { TOO_DEEP } from '@panoptes/schema/json'
import { describe, expect, it } from 'vitest'
import {
  pathOf as claudePath,
  promptRow as claudePrompt,
  linesOf,
  put as putClaude,
  replied,
  tempProjects,
} from './claude-code/claude-code.test-kit.ts'
import { claudeCodeSource } from './claude-code/index.ts'
import {
  tempHome as codexHome,
  pathOf as codexPath,
  item,
  lineOf,
  messageItem,
  meta,
  put as putCodex,
} from './codex/codex.test-kit.ts'
import { codexSource } from './codex/index.ts'
import { find, read, sessionOf, textsOf } from './conformance/records.ts'
import { tempHome as hermesHome, makeState } from './hermes/hermes.test-kit.ts'
import { hermesSource } from './hermes/index.ts'
import { openCodeSource } from './opencode/index.ts'
import {
  addPrompt as addOpenCodePrompt,
  makeStore,
  tempHome as openCodeHome,
} from './opencode/opencode.test-kit.ts'
import type { SessionRecord, SessionSource } from './port.ts'

const LEVELS = 50_000
const PLACEHOLDER = '"deep value"'
const SHAPES = [
  ['lists', '['.repeat(LEVELS) + ']'.repeat(LEVELS)],
  ['objects', `${'{"a":'.repeat(LEVELS)}1${'}'.repeat(LEVELS)}`],
] as const

/** Reads a session and processes its records as every reader eventually does. */
async function readWhole(source: SessionSource): Promise<readonly SessionRecord[]> {
  const records = await read(source, await find(source, 's'))
  expect(sessionOf(records)).toBeDefined()
  expect(redactValue(JSON.parse(JSON.stringify(records)))).toBeDefined()
  return records
}

/** Returns the short texts, so that a failing test does not print the deep value. */
const words = (records: readonly SessionRecord[]) =>
  textsOf(records).filter((text) => text !== '' && text.length < 100)

const reasons = (records: readonly SessionRecord[]) =>
  records.flatMap((record) => (record.kind === 'skipped' ? [record.reason] : []))

describe.each(SHAPES)('a tool input of 50,000 %s', (_name, deep) => {
  it('makes a Claude Code session lose only one line, which is reported', async () => {
    const projects = tempProjects()
    const input = { type: 'tool_use', id: 't', name: 'Tool', input: { a: 'deep value' } }
    const line = linesOf([replied('r', [input], [1, 1])]).replace(PLACEHOLDER, deep)
    putClaude(claudePath(projects, 's'), [claudePrompt('before')])
    appendFileSync(claudePath(projects, 's'), line + linesOf([claudePrompt('after', 2)]))
    const records = await readWhole(claudeCodeSource(projects))
    expect(words(records)).toEqual(['before', 'after'])
    expect(reasons(records)).toEqual([TOO_DEEP])
  })

  it('makes a Codex session lose only one line, which is reported', async () => {
    const home = codexHome()
    const call = (args: unknown) =>
      lineOf(item({ type: 'function_call', call_id: 'c', name: 'tool', arguments: args }, 1))
    putCodex(codexPath(home, 's'), [meta('s'), messageItem('user', 'before')])
    appendFileSync(
      codexPath(home, 's'),
      call('deep value').replace(PLACEHOLDER, deep) + call(deep) + lineOf(messageItem('user', 'after', 2)),
    )
    const records = await readWhole(codexSource(home))
    expect(words(records)).toEqual(['before', 'after'])
    expect(reasons(records)).toEqual([TOO_DEEP])
  })

  it('makes an OpenCode session lose only one part, which is reported', async () => {
    const home = openCodeHome()
    const store = makeStore(home)
    store.session({ id: 's' })
    addOpenCodePrompt(store, 's', 'before')
    const message = store.message('s', { role: 'assistant' })
    store.db
      .prepare(
        "INSERT INTO part (id, message_id, session_id, time_created, time_updated, data) VALUES ('deep', ?, 's', 1, 1, ?)",
      )
      .run(message, `{"type":"tool","tool":"x","callID":"c","state":{"status":"running","input":${deep}}}`)
    addOpenCodePrompt(store, 's', 'after')
    store.db.close()
    const records = await readWhole(openCodeSource(home))
    expect(words(records)).toEqual(['before', 'after'])
    expect(reasons(records)).toEqual([TOO_DEEP])
  })

  it('makes a Hermes session lose only the calls of one row, which is reported', async () => {
    const home = hermesHome()
    const state = makeState(home)
    state.session({ id: 's' })
    state.message({ session_id: 's', content: 'before' })
    const call = (args: string) => `[{"id":"c","function":{"name":"tool","arguments":${args}}}]`
    state.message({ session_id: 's', role: 'assistant', content: '', tool_calls: call(deep) })
    state.message({ session_id: 's', role: 'assistant', content: '', tool_calls: call(JSON.stringify(deep)) })
    state.message({ session_id: 's', role: 'user', content: `\u0000json:${deep}` })
    state.message({ session_id: 's', content: 'after' })
    state.db.close()
    const records = await readWhole(hermesSource(home))
    expect(textsOf(records).some((text) => text === deep)).toBe(true)
    expect(words(records)).toEqual(['before', 'after'])
    expect(reasons(records)).toEqual(['has tool calls that are not JSON, or are nested too deep'])
  })
})
