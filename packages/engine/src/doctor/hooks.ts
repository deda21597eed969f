import type { FoundSource } from '@panoptes/schema'
import { type Check, ok, type Patient, warning } from './check.ts'

export const hooksCheck: Check = {
  id: 'hooks',
  title: 'Hooks',
  run: async ({ hooks, sources }) => {
    const [found, all] = await Promise.all([hooks(), sources()])
    const silent = all.filter(({ id, state }) => state === 'found' && found.unconnected.includes(id))
    const stale = scriptProblem(found)
    const problems = [
      ...silent.map(
        ({ name }) => `${name} has no hooks: Live shows it a second late, and not that it waits for you`,
      ),
      ...found.problems,
      ...(stale ? [stale] : []),
    ]
    const detail = told(found.connected, all)
    if (problems.length === 0) return ok(detail)
    const [first] = silent
    const next = first
      ? `Connect it with: panoptes hooks install ${first.id}`
      : found.problems.length > 0
        ? 'Correct that file; panoptes hooks status looks again.'
        : "Put this version's in its place with: panoptes up"
    return warning(detail, problems.join('\n'), next)
  },
}

function told(connected: readonly string[], all: readonly FoundSource[]): string {
  if (connected.length === 0) return 'No agent is connected'
  return `Connected: ${connected.map((id) => all.find((one) => one.id === id)?.name ?? id).join(', ')}`
}

function scriptProblem({ script, scriptRuns }: Awaited<ReturnType<Patient['hooks']>>): string | null {
  if (!scriptRuns) return null
  if (script === 'older') return 'The script that hooks run is older than this program'
  return script === 'absent' ? 'The script that hooks run is missing' : null
}
