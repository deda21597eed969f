import { afterAll, beforeAll, expect, it } from 'vitest'
import { BOUNDARIES, SECRET_KINDS } from '../redact/secrets.test-kit.ts'
import {
  asking,
  type ChatLab,
  chatLab,
  collectEvents,
  saying,
  scriptedRuntime,
  value,
} from './chat.test-kit.ts'

let lab: ChatLab
beforeAll(async () => {
  lab = await chatLab()
})
afterAll(() => lab.end())

const boundaries = Object.values(BOUNDARIES)
/**
 * A text for every kind of secret, each after a different boundary, and how the secret is spelled
 * there.
 */
const secrets = Object.values(SECRET_KINDS).map((make, n) => {
  const wrap = boundaries[n % boundaries.length]
  if (wrap === undefined) throw new Error('there are no boundaries')
  return wrap(make())
})

it('stores messages of a user and a runtime without secrets, and passes the original text to the runtime', async () => {
  for (const { text, spelled } of secrets) {
    const half = Math.floor(text.length / 2)
    const { adapter, asked } = scriptedRuntime('jarvis', saying(text.slice(0, half), text.slice(half)))
    const chat = lab.open([adapter])
    const { id } = value(await chat.create({ title: `about ${text}` }))
    const events = await collectEvents(await chat.chat(id, asking(`look: ${text}`)))
    expect(asked[0]?.message).toBe(`look: ${text}`)
    const run = events[0]?.data.run_id ?? ''
    const kept = JSON.stringify([
      value(await chat.get(id)),
      value(await lab.conversations.events(run)),
      value(await lab.conversations.window(id, { chars: 1_000_000 })),
    ])
    for (const one of [spelled, JSON.stringify(spelled).slice(1, -1)]) expect(kept).not.toContain(one)
    expect(kept).toContain('look: ')
    const again = await collectEvents(await chat.stream(id, `${run}:0`))
    expect(again.map(({ event }) => event)).toEqual(events.map(({ event }) => event))
  }
})

it('remembers a fact once without its secret and keeps the rest of the text', async () => {
  const chat = lab.open([scriptedRuntime('jarvis', saying('ok')).adapter])
  const secret = SECRET_KINDS.github?.() ?? ''
  const first = value(await chat.remember(`The key of staging is ${secret}, ask Ada`))
  expect(first.text).toMatch(/^The key of staging is \[redacted:[\w-]+\], ask Ada$/)
  expect(value(await chat.remember(`The key of staging is ${secret}, ask Ada`))).toEqual(first)
  expect(value(await chat.facts())).toEqual([first])
})
