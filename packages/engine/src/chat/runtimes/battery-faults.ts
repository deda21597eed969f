import { expect, it } from 'vitest'
import { readAll, said, value } from './battery-room.ts'
import type { Scene } from './battery-scene.ts'

/** Whoever answers breaks, refuses, or is not there. */
export function describeFaults(scene: Scene): void {
  it('that dies in the middle of its answer keeps what was said, and is asked again', async () => {
    const { text } = await scene.failsWith({ say: 'Half of the', pieces: 2, after: 'dies' }, ['died'])
    expect('Half of the'.startsWith(text)).toBe(true)
    expect(text).not.toBe('')
    await scene.worksAgain()
  })
  it('that dies before its first word is asked again', async () => {
    await scene.failsWith({ after: 'dies' }, ['died', 'unreachable'])
    await scene.worksAgain()
  })
  scene.can('garbles')('that sends what nobody can read fails cleanly', async () => {
    await scene.failsWith({ say: 'Half of the', after: 'garbles' }, ['malformed', 'died'])
    await scene.worksAgain()
  })

  scene.can('401')('says that its key is refused', async () => {
    const { last } = await scene.failsWith({ refuse: 401 }, ['unauthorized'])
    expect(last).toMatchObject({ data: { retryable: false } })
    await scene.worksAgain()
  })
  scene.can('429')('says that it was asked too often', async () => {
    const { last } = await scene.failsWith({ refuse: 429 }, ['rate_limited'])
    expect(last).toMatchObject({ data: { retryable: true } })
    await scene.worksAgain()
  })
  scene.can('500')('says that it broke', async () => {
    await scene.failsWith({ refuse: 500 }, ['provider_error'])
    await scene.worksAgain()
  })

  it('says what to do where it is not installed, and fails cleanly', async () => {
    const absent = await scene.kit.absent()
    const health = await absent.health()
    expect(health.state).not.toBe('ready')
    expect(health.detail).not.toBe('')
    const alone = scene.room.open([absent])
    const conversation = value(await alone.create({}))
    const run = await readAll(value(await alone.chat(conversation.id, said('Is anybody there?'))))
    expect(run.check.problems).toEqual([])
    const last = run.events.at(-1)
    expect(last?.event).toBe('error')
    expect(['not_installed', 'not_configured', 'unreachable']).toContain(
      last?.event === 'error' && last.data.code,
    )
    expect(value(await alone.get(conversation.id)).messages).toMatchObject([
      { role: 'user', content: 'Is anybody there?' },
      { role: 'assistant', status: 'failed', content: '' },
    ])
    await alone.close()
  })
}
