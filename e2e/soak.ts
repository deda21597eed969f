import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { makeHome } from './command.ts'
import { crash } from './crash.ts'
import { restart } from './restarts.ts'

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '500' },
    restarts: { type: 'string', default: '1000' },
    seed: { type: 'string', default: `${Date.now() % 1_000_000}` },
  },
})
const kills = Number(values.kills)
const restarts = Number(values.restarts)
const seed = Number(values.seed)
const folder = mkdtempSync(join(tmpdir(), 'panoptes-soak-'))
const start = Date.now()

console.log(`${kills} kills, ${restarts} restarts, seed ${seed} (again with: npm run soak -- --seed ${seed})`)
try {
  const summary = await crash({
    kills,
    seed,
    folder,
    onKill: ({ number, chore, events, faults }) => {
      if (faults.length > 0 || number % 10 === 0) {
        const seconds = Math.round((Date.now() - start) / 1_000)
        console.log(
          `${number}/${kills} kills, ${seconds} s, last during ${chore}, ${events} events, ${faults.length} faults`,
        )
      }
    },
  })
  const home = await makeHome()
  const restarted = await restart({
    restarts,
    seed,
    home,
    onRestart: (number) => {
      if (number % 50 === 0) console.log(`${number}/${restarts} restarts`)
    },
  })
  await home.remove()
  const result = {
    ...summary,
    restarts: restarted,
    seconds: Math.round((Date.now() - start) / 1_000),
    machine: { cores: cpus().length, node: process.version, platform: process.platform, arch: process.arch },
    date: new Date().toISOString().slice(0, 10),
  }
  const results = new URL('../bench/results/', import.meta.url)
  mkdirSync(results, { recursive: true })
  writeFileSync(new URL('soak.json', results), `${JSON.stringify(result, null, 2)}\n`)
  console.log(JSON.stringify(result, null, 2))
  const faults = summary.faults.length + restarted.faults.length
  process.exitCode = faults === 0 && summary.kills === kills ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
