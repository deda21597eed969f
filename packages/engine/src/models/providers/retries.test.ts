import { describe, expect, it } from 'vitest'
import type { ChatPart, ModelError } from './port.ts'
import { parseRetryAfter, withRetries } from './retries.ts'

const failed = (retry?: ModelError['retry']): ChatPart => ({
  type: 'failed',
  error: { class: 'rate_limited', message: '', status: 429, partial: '', usage: null, retry },
})

async function tried(answers: readonly (readonly ChatPart[])[], retries: number, signal?: AbortSignal) {
  let attempts = 0
  const parts: ChatPart[] = []
  const attempt = async function* () {
    yield* answers[Math.min(attempts++, answers.length - 1)] ?? []
  }
  for await (const part of withRetries(attempt, { retries, signal })) parts.push(part)
  return { attempts, parts }
}

describe('retry', () => {
  it('happens only for temporary errors', async () => {
    expect((await tried([[failed()]], 3)).attempts).toBe(1)
    expect((await tried([[failed({ afterMs: 0 })]], 3)).attempts).toBe(4)
  })

  it('does not happen after a part of the answer, which would be repeated', async () => {
    const begun: ChatPart = { type: 'chunk', chunk: { choices: [] } }
    expect(await tried([[begun, failed({ afterMs: 0 })]], 3)).toMatchObject({ attempts: 1 })
  })

  it('does not wait longer than a minute', async () => {
    const began = performance.now()
    expect((await tried([[failed({ afterMs: 3_600_000 })]], 3)).attempts).toBe(1)
    expect(performance.now() - began).toBeLessThan(15_000)
  })

  it('stops waiting after an abort', async () => {
    const stop = new AbortController()
    setTimeout(() => stop.abort(), 20)
    const began = performance.now()
    await tried([[failed({ afterMs: 30_000 })], [failed()]], 3, stop.signal)
    expect(performance.now() - began).toBeLessThan(15_000)
  })
})

describe('Retry-After header', () => {
  const at = Date.parse('2026-01-01T00:00:00Z')
  it.each([
    [{ 'retry-after': '2' }, 2_000],
    [{ 'retry-after': '0.5' }, 500],
    [{ 'retry-after': '-5' }, 0],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Wed, 31 Dec 2025 00:00:30 GMT' }, 0],
    [{ 'retry-after-ms': '70', 'retry-after': '9' }, 70],
    [{ 'retry-after': 'soon' }, null],
    [{}, null],
  ])('of %j means %s ms', (headers, expected) => {
    expect(parseRetryAfter(new Headers(headers as Record<string, string>), at)).toBe(expected)
  })
})
