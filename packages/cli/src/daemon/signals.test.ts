import { afterEach, describe, expect, it, vi } from 'vitest'
import { onSignals } from './signals.ts'

const undo: (() => void)[] = []
afterEach(() => {
  for (const each of undo.splice(0)) each()
  vi.restoreAllMocks()
})

function listen() {
  let now = 1_000
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  const heard: string[] = []
  undo.push(
    onSignals(
      () => heard.push('stop'),
      () => heard.push('force'),
    ),
  )
  const send = (at: number) => {
    now = at
    process.emit('SIGHUP')
  }
  return { heard, send }
}

describe('onSignals', () => {
  it('stops at the first signal and forces at the next', () => {
    const { heard, send } = listen()
    send(1_000)
    send(3_000)
    expect(heard).toEqual(['stop', 'force'])
  })

  it('counts Ctrl-C as one signal if the terminal and npm both pass it on', () => {
    const { heard, send } = listen()
    send(1_000)
    send(1_020)
    expect(heard).toEqual(['stop'])
  })

  it('leaves signals alone after it is removed', () => {
    const before = process.listenerCount('SIGTERM')
    const done = onSignals(
      () => undefined,
      () => undefined,
    )
    expect(process.listenerCount('SIGTERM')).toBe(before + 1)
    done()
    expect(process.listenerCount('SIGTERM')).toBe(before)
  })
})
