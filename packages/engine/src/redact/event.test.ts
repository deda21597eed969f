import type { NewEvent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { redactCounted, redactEvent } from './event.ts'

const secret = ['ghp', 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zAbCdE'].join('_')
const event = (fields: Record<string, unknown>): NewEvent => ({
  v: 1,
  key: 'k',
  ts: 1,
  event: 'tool_use',
  source: 'custom',
  host: 'here',
  session_id: 's',
  ...fields,
})

describe('redactEvent', () => {
  it('returns an event without secrets unchanged', () => {
    const clean = event({ tool: 'Bash', input_preview: 'ls -la', nested: { list: ['a', { b: 'c' }] } })
    expect(redactEvent(clean)).toEqual({ event: clean, removed: 0 })
    expect(redactEvent(clean).event).toBe(clean)
  })

  it('cleans every text at any depth and counts the secrets', () => {
    const { event: clean, removed } = redactEvent(
      event({
        input_preview: `push ${secret}`,
        extra: { list: [1, [secret, { deep: `${secret} ${secret}` }]] },
      }),
    )
    expect(removed).toBe(4)
    expect(clean.redacted).toBe(4)
    expect(JSON.stringify(clean)).not.toContain(secret)
    expect(clean.extra).toEqual({
      list: [1, ['[redacted:github-token]', { deep: '[redacted:github-token] [redacted:github-token]' }]],
    })
  })

  it('adds to an earlier count of removed secrets', () => {
    expect(redactEvent(event({ redacted: 2, input_preview: secret })).event.redacted).toBe(3)
    expect(redactEvent(event({ redacted: 'x', input_preview: secret })).event.redacted).toBe(1)
  })

  it('keeps a text within its previous limit', () => {
    const cut = (length: number) => {
      const text = ` password=abcd1`.padStart(length, 'x')
      return String(redactEvent(event({ input_preview: text })).event.input_preview).length
    }
    expect([cut(512), cut(4_096)]).toEqual([512, 4_096])
    expect(cut(4_097)).toBeGreaterThan(4_097)
  })

  it('numbers colliding names without losing their values', () => {
    const keys = Array.from({ length: 5 }, (_, n) => secret.replace('aB3', `aB${n}`))
    const { event: clean } = redactEvent(event({ extra: Object.fromEntries(keys.map((key, n) => [key, n])) }))
    const name = '[redacted:github-token]'
    expect(clean.extra).toEqual({
      [name]: 0,
      [`${name} 2`]: 1,
      [`${name} 3`]: 2,
      [`${name} 4`]: 3,
      [`${name} 5`]: 4,
    })
  })

  it('hides a field whose name marks it as secret', () => {
    const { event: clean, removed } = redactEvent(
      event({
        body: { password: 'letmein', apiKey: 'abc123def', headers: { Authorization: 'Bearer abc123def' } },
      }),
    )
    expect(removed).toBe(3)
    expect(clean.body).toEqual({
      password: '[redacted:password]',
      apiKey: '[redacted:api-key]',
      headers: { Authorization: 'Bearer [redacted:authorization]' },
    })
  })

  it('leaves the envelope alone, so that links between events hold', () => {
    const names = ['id', 'session_id', 'key', 'agent_id', 'parent_id', 'tool_use_id']
    const bare = event(Object.fromEntries(names.map((name) => [name, secret])))
    expect(redactEvent(bare).event).toBe(bare)
  })

  it('cleans field names without losing the values of colliding ones', () => {
    const other = secret.replace('aB3', 'zZ9')
    const { event: clean, removed } = redactEvent(
      event({
        [secret]: 0,
        extra: { a: 1, [secret]: 2, '[redacted:github-token]': 3, [other]: [{ [secret]: 'x' }] },
      }),
    )
    expect(removed).toBe(4)
    expect(clean['[redacted:github-token]']).toBe(0)
    expect(clean.extra).toEqual({
      a: 1,
      '[redacted:github-token] 2': 2,
      '[redacted:github-token]': 3,
      '[redacted:github-token] 3': [{ '[redacted:github-token]': 'x' }],
    })
    expect(redactEvent(clean).event).toBe(clean)
  })

  it('recognises headers and numbers by their field name', () => {
    const { event: clean } = redactEvent(
      event({
        headers: { cookie: 'a=hunter; b=2', 'Set-Cookie': 'a=hunter; Path=/' },
        password: 12345678,
        tokens: 5,
      }),
    )
    expect(clean.headers).toEqual({
      cookie: 'a=[redacted:cookie]; b=[redacted:cookie]',
      'Set-Cookie': 'a=[redacted:cookie]; Path=/',
    })
    expect([clean.password, clean.tokens]).toEqual(['[redacted:password]', 5])
  })

  it('hides lists under a secret name, and passwords at any depth', () => {
    const hidden = (value: unknown) => redactCounted(value)
    expect(hidden({ passwd: ['a1b2c3d4e5', ['letmein']], api_keys: 3, token: ['abc123def'] })).toEqual({
      value: {
        passwd: ['[redacted:password]', ['[redacted:password]']],
        api_keys: 3,
        token: ['[redacted:token]'],
      },
      removed: 3,
    })
    expect(hidden({ password: { value: 'hunter22', history: [{ was: 87654321 }] } })).toEqual({
      value: { password: { value: '[redacted:password]', history: [{ was: '[redacted:password]' }] } },
      removed: 2,
    })
    const schema = {
      password: { type: 'string', required: true, minLength: 8 },
      secret: { name: 'a1b2c3d4' },
    }
    expect(hidden(schema)).toEqual({ value: schema, removed: 0 })
    expect(hidden(schema).value).toBe(schema)
  })

  it('takes time linear in what is nested below a password field', () => {
    let nested: unknown = 'hunter22'
    for (let depth = 0; depth < 200; depth++) nested = depth % 2 ? [nested] : { a: nested }
    expect(redactCounted({ password: nested }).removed).toBe(1)
  })

  it('leaves out values nested too deeply for the stack', () => {
    const nest = (wrap: (value: unknown) => unknown) =>
      Array.from({ length: 50_000 }).reduce((value: unknown) => wrap(value), secret)
    for (const wrap of [
      (a: unknown) => [a],
      (a: unknown) => ({ a }),
      (password: unknown) => ({ password }),
    ]) {
      const clean = JSON.stringify(redactCounted({ near: secret, deep: nest(wrap) }).value)
      expect(clean).toContain('[nested too deep]')
      expect(clean).not.toContain(secret)
    }
  })

  it('cleans source and kind, which any sender may choose', () => {
    const { event: clean } = redactEvent(event({ source: secret, event: `x ${secret}` }))
    expect([clean.source, clean.event]).toEqual(['[redacted:github-token]', 'x [redacted:github-token]'])
  })

  it('keeps a field called __proto__ a field', () => {
    const parsed = JSON.parse(`{"__proto__": {"a": "${secret}"}, "constructor": "x"}`)
    const { event: clean } = redactEvent(event({ extra: parsed }))
    expect(JSON.stringify(clean.extra)).toBe(
      '{"__proto__":{"a":"[redacted:github-token]"},"constructor":"x"}',
    )
    expect(Object.getPrototypeOf(clean.extra)).toBe(Object.prototype)
  })
})

describe('redactCounted', () => {
  it('counts secrets and returns a value without any unchanged', () => {
    const clean = { a: ['b', { c: 1 }] }
    expect(redactCounted(clean)).toEqual({ value: clean, removed: 0 })
    expect(redactCounted(clean).value).toBe(clean)
    expect(redactCounted({ a: [`${secret} ${secret}`], password: 'letmein' })).toEqual({
      value: { a: ['[redacted:github-token] [redacted:github-token]'], password: '[redacted:password]' },
      removed: 3,
    })
  })
})
