import type { BusHealth } from '@panoptes/engine/bus'
import { expect, it } from 'vitest'
import { busChecks } from './open-bus.ts'

const checkBus = (more: Partial<BusHealth>) => {
  const health: BusHealth = {
    where: '127.0.0.1:4222',
    waiting: 0,
    waitingBytes: 0,
    mostBytes: 1_000,
    lagMs: 0,
    replicas: 1,
    isWriter: true,
    isTaking: true,
    refused: 0,
    problem: null,
    ...more,
  }
  return busChecks({ health: () => health }, true)[0]
}

it('counts waiting messages and rejected events of the bus in the singular and plural', () => {
  expect(checkBus({})).toMatchObject({
    state: 'ok',
    detail: 'stored on one server, nothing is waiting',
  })
  expect(checkBus({ replicas: 3, waiting: 1, lagMs: 1_500, refused: 1 })).toMatchObject({
    state: 'warning',
    detail: 'stored on 3 servers, 1 message waiting, the oldest for 2 s; 1 event could not be stored',
  })
  expect(checkBus({ waiting: 1_200, lagMs: 2_000, refused: 8 })).toMatchObject({
    detail: 'stored on one server, 1,200 messages waiting, the oldest for 2 s; 8 events could not be stored',
  })
})

it('names the address of a broken bus only in the space of its own computer', () => {
  const problem = 'The bus at 127.0.0.1:4222 does not answer.'
  expect(checkBus({ problem })).toMatchObject({ state: 'failed', cause: problem })
  const bus = { health: () => ({ problem }) as BusHealth }
  expect(JSON.stringify(busChecks(bus, false))).not.toContain('4222')
})
