import { describeRuntime } from '../battery.ts'
import { jarvisOn, playedJarvis } from './played-jarvis.test-kit.ts'

const nobody = 'http://127.0.0.1:9/v1'

describeRuntime('jarvis', {
  start: () => playedJarvis(),
  absent: async () => jarvisOn(nobody),
})

describeRuntime('jarvis by a preset', {
  start: () => playedJarvis({ preset: 'pair' }),
  absent: async () => jarvisOn(nobody, { config: { preset: 'none' } }),
})
