import { randomUUID } from 'node:crypto'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { describe, expect, it } from 'vitest'
import { sharedNats } from '../../../../e2e/setup/shared-servers.ts'
import { inspectBus } from './inspection.ts'

describe('bus inspection', () => {
  it('reports waiting messages, copies, and that no process writes', async () => {
    const url = sharedNats()
    const id = randomUUID().replaceAll('-', '')
    const space = `look-${id.slice(0, 8)}`
    const name = `panoptes_${space}_${id}`
    const connection = await connect({ servers: new URL(url).host })
    const manager = await jetstreamManager(connection)
    await manager.streams.add({ name, subjects: [`look.${id}.in`], max_bytes: 1_000_000 })
    await manager.streams.add({ name: `${name}_refused`, subjects: [`look.${id}.refused`] })
    await manager.streams.add({ name: `other_${id}`, subjects: [`look.${id}.other`] })
    try {
      const js = manager.jetstream()
      for (const subject of ['in', 'in', 'refused']) await js.publish(`look.${id}.${subject}`, 'x')
      const look = await inspectBus(url)
      expect(look).toMatchObject({ ok: true, value: { version: expect.stringMatching(/^2\./) } })
      const streams = look.ok ? look.value.streams.filter((stream) => stream.space === space) : []
      expect(streams).toMatchObject([
        { name, waiting: 2, most_bytes: 1_000_000, replicas: 1, behind: 0, written: false, refused: 1 },
      ])
      expect(look.ok && look.value.streams.some((stream) => stream.name.startsWith('other'))).toBe(false)
    } finally {
      for (const each of [name, `${name}_refused`, `other_${id}`]) await manager.streams.delete(each)
      await connection.close()
    }
  })

  it('names the address of a bus that does not answer', async () => {
    const look = await inspectBus('nats://127.0.0.1:1')
    expect(look).toMatchObject({ ok: false, code: 'busy' })
    expect(!look.ok && look.message).toContain('127.0.0.1:1')
  })
})
