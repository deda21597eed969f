import { startScriptedAgent } from '../acp/scripted-agent.test-kit.ts'
import { describeRuntime, type RuntimeKit } from '../conformance.ts'
import type { Transport } from './capabilities.ts'
import { createHermes } from './hermes.ts'
import { startScriptedHermes } from './scripted-hermes.test-kit.ts'

/** Creates an adapter for an address at which nothing listens. */
const absent: RuntimeKit['absent'] = async () =>
  createHermes({ config: { url: 'http://127.0.0.1:9', api_key_env: 'NONE', env: {} }, env: {} })

const lacking: Readonly<Record<Transport, NonNullable<RuntimeKit['lacks']>>> = {
  session: [],
  runs: [],
  completions: ['approval'],
}

for (const way of ['session', 'runs', 'completions'] as const)
  describeRuntime(`hermes by ${way}`, {
    start: () => startScriptedHermes(way),
    absent,
    lacks: lacking[way],
  })

describeRuntime('hermes by acp', {
  start: async () => {
    const agent = await startScriptedAgent()
    const adapter = createHermes({ config: { command: [...agent.command], env: {} }, env: agent.env })
    return {
      ...agent,
      adapter,
      close: async () => {
        await adapter.close()
        await agent.close()
      },
    }
  },
  absent: async () =>
    createHermes({
      config: { command: ['no-such-hermes', 'acp'], env: {} },
      env: { PATH: process.env.PATH },
    }),
})
