import type { BusHealth } from '@panoptes/engine/bus'
import type { Gauge } from './metrics.ts'

export const busGauges = (health: BusHealth): readonly Gauge[] => [
  {
    name: 'panoptes_bus_up',
    help: 'Whether the bus takes events and the ledger takes them from it.',
    value: health.problem === null ? 1 : 0,
  },
  {
    name: 'panoptes_bus_waiting',
    help: 'Messages in the bus that are not in the ledger yet.',
    value: health.waiting,
  },
  { name: 'panoptes_bus_waiting_bytes', help: 'What they take of its room.', value: health.waitingBytes },
  { name: 'panoptes_bus_most_bytes', help: 'The most that may wait in the bus.', value: health.mostBytes },
  {
    name: 'panoptes_bus_lag_seconds',
    help: 'How long the oldest message in the bus has waited.',
    value: health.lagMs / 1_000,
  },
  { name: 'panoptes_bus_replicas', help: 'How many servers keep the stream.', value: health.replicas },
  {
    name: 'panoptes_bus_writer',
    help: 'Whether this process puts what is in the bus into the ledger.',
    value: health.isWriter ? 1 : 0,
  },
  {
    name: 'panoptes_bus_refused',
    help: 'Events that the ledger would not have, since this process began.',
    value: health.refused,
  },
]
