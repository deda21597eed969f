import { describeRuntime } from '../conformance.ts'
import { jarvisOn, playedJarvis } from './simulated-jarvis.test-kit.ts'

const nobody = 'http://127.0.0.1:9/v1'

describeRuntime('jarvis', {
  start: () => playedJarvis(),
  absent: async () => jarvisOn(nobody),
})

describeRuntime('jarvis by a preset', {
  start: () => playedJarvis({ preset: 'pair' }),
  absent: async () => jarvisOn(nobody, { config: { preset: 'none' } }),
})
