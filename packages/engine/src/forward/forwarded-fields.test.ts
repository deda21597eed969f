import { readFileSync } from 'node:fs'
import { redactEvent } from '@panoptes/engine/redact'
import { EVENT_KINDS, type StoredEvent, storedEvents } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toForwardedEvent } from './batch.ts'

const event = (fields: object): StoredEvent => ({
  v: 1,
  key: 'k',
  seq: 7,
  ts: 1,
  event: 'prompt',
  source: 'claude-code',
  host: 'studio',
  session_id: 's1',
  ...fields,
})

const text = readFileSync(new URL('../../../../docs/forwarding.md', import.meta.url), 'utf8')
const documented = text
  .split('\n')
  .filter((line) => /^\| `/.test(line))
  .map((line) => line.split('|').slice(1, 3))
  .flatMap(([kinds = '', fields = '']) =>
    [...kinds.matchAll(/`(\w+)`/g)].map(([, kind = '']) => ({
      kind,
      fields: new Set([...fields.matchAll(/`([\w, ]+)`/g)].flatMap(([, list = '']) => list.split(', '))),
    })),
  )

describe('forwarded fields', () => {
  it.each(EVENT_KINDS)('match the recorded list for %s', (kind) => {
    const everywhere = ['agent_id', 'prompt_id', 'from_hook', 'via']
    const recorded = documented.find((row) => row.kind === kind)?.fields
    const fields = Object.keys(storedEvents[kind].shape).filter((name) => !(name in event({})))
    for (const name of fields.filter((each) => !everywhere.includes(each))) {
      const sent = toForwardedEvent(event({ event: kind, [name]: 'x' }), 'events')
      expect([name, name in sent]).toEqual([name, recorded?.has(name) ?? false])
    }
  })

  it('are the whole event except its number unless words are excluded', () => {
    const stored = event({ prompt_preview: 'fix the login', more: { of: ['it'] } })
    const { seq: _seq, ...rest } = stored
    expect(toForwardedEvent(stored, 'metadata')).toEqual(rest)
    expect(toForwardedEvent(stored, 'transcripts')).toEqual(rest)
  })

  it('contain who did what when, and no words', () => {
    const stored = event({ id: 'p1', agent_id: 'main', prompt_preview: 'fix the login', more: 'words' })
    const { seq: _seq, prompt_preview: _words, more: _more, ...rest } = stored
    expect(toForwardedEvent(stored, 'events')).toEqual(rest)
    const start = event({ event: 'session_start', cwd: '/home/dev/atlas', project: 'atlas', title: 'Login' })
    expect(toForwardedEvent(start, 'events')).toMatchObject({ project: 'atlas' })
    expect(Object.keys(toForwardedEvent(start, 'events'))).not.toContain('cwd')
  })

  it('show that something failed without the text of the failure', () => {
    const failed = event({ event: 'agent_done', id: 'a1', error: 'no such table: customers' })
    expect(toForwardedEvent(failed, 'events')).toMatchObject({ id: 'a1', error: 'failed' })
    expect(
      toForwardedEvent(event({ event: 'agent_done', id: 'a1', error: '' }), 'events'),
    ).not.toHaveProperty('error')
  })

  it('contain what is needed to see who waits and what hooks started', () => {
    const waits = event({
      event: 'agent_wait',
      agent_id: 'a1',
      reason: 'allow rm -rf?',
      wait: 'PermissionRequest',
      tool: 'Bash',
      call: 't1',
      input_preview: 'rm -rf',
      from_hook: true,
      via: 'transcript',
    })
    expect(toForwardedEvent(waits, 'events')).toEqual({
      v: 1,
      key: 'k',
      ts: 1,
      event: 'agent_wait',
      source: 'claude-code',
      host: 'studio',
      session_id: 's1',
      agent_id: 'a1',
      wait: 'PermissionRequest',
      tool: 'Bash',
      call: 't1',
      from_hook: true,
      via: 'transcript',
    })
    const odd = event({ event: 'answer', agent_id: 'a1', wait: 'words of a person', choice: 'deny' })
    expect(toForwardedEvent(odd, 'events')).toMatchObject({ agent_id: 'a1', choice: 'deny' })
    expect(toForwardedEvent(odd, 'events')).not.toHaveProperty('wait')
  })

  it('never contain words of a conversation with Panoptes itself, whatever the settings', () => {
    const stored = event({ source: 'panoptes', prompt_preview: 'what did we pay?' })
    for (const what of ['events', 'metadata', 'transcripts'] as const)
      expect(toForwardedEvent(stored, what)).not.toHaveProperty('prompt_preview')
  })

  it('contain only fields with a decision and no words, for every kind of event', () => {
    const words = fc.stringMatching(/^[a-z]{3,8}( [a-z]{3,8}){2,4}$/)
    const fields = fc.dictionary(fc.stringMatching(/^x_[a-z]{1,10}$/), fc.oneof(words, fc.array(words)), {
      maxKeys: 6,
    })
    const texts = fc.record({
      ...Object.fromEntries(
        ['prompt_preview', 'input_preview', 'error_preview', 'error', 'title', 'cwd', 'branch'].map(
          (name) => [name, words],
        ),
      ),
      ...Object.fromEntries(['value', 'pointer', 'verified'].map((name) => [name, words])),
      checks: fc.array(fc.record({ name: words, result: words })),
      follow_ups: fc.array(words),
      payload: fields,
    })
    const kind = fc.constantFrom(
      ...EVENT_KINDS,
      'hook',
      'notice',
      'answer',
      'novel',
      '__proto__',
      'constructor',
    )
    fc.assert(
      fc.property(kind, texts, fields, (name, own, more) => {
        const whole = event({ ...more, ...own, event: name })
        const text = JSON.stringify(toForwardedEvent(whole, 'events'))
        const spoken = [...Object.values(own), ...Object.values(more)]
          .flatMap((value) => JSON.stringify(value).match(/[a-z]{3,8}( [a-z]{3,8})+/g) ?? [])
          .filter((words) => text.includes(words))
        expect(spoken).toEqual([])
      }),
    )
  })

  it('contain no secret, wherever one was placed', () => {
    const letters = fc.stringMatching(/^[A-Za-z0-9]{36}$/)
    const secret = fc.oneof(
      letters.map((rest) => `ghp_${rest}`),
      letters.map((rest) => `sk-ant-api03-${rest}`),
      fc.stringMatching(/^[A-Z2-7]{16}$/).map((rest) => `AKIA${rest}`),
    )
    const place = fc.constantFrom(
      'prompt_preview',
      'input_preview',
      'title',
      'branch',
      'tool',
      'model',
      'project',
    )
    const kind = fc.constantFrom(...EVENT_KINDS, 'novel')
    const what = fc.constantFrom('events' as const, 'metadata' as const, 'transcripts' as const)
    fc.assert(
      fc.property(kind, place, secret, what, (name, field, hidden, mode) => {
        const stored = event({ event: name, [field]: `with ${hidden} in it`, deep: { list: [{ hidden }] } })
        expect(JSON.stringify(redactEvent(toForwardedEvent(stored, mode)).event)).not.toContain(hidden)
      }),
    )
  })
})
