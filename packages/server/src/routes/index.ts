import type { Kit } from '../kit.ts'
import type { Route } from '../route.ts'
import { accessRoutes } from './access.ts'
import { achievementRoutes } from './achievements.ts'
import { agentRoutes } from './agents.ts'
import { authRoutes } from './auth.ts'
import { chatRoutes } from './chat.ts'
import { eventRoutes } from './events.ts'
import { forgetRoutes } from './forget.ts'
import { forwardRoutes } from './forward.ts'
import { gatewayRoutes } from './gateway.ts'
import { historyRoutes } from './history.ts'
import { hookRoutes } from './hooks.ts'
import { ledgerRoutes } from './ledger.ts'
import { machineRoutes } from './machine.ts'
import { markRoutes } from './marks.ts'
import { meRoutes } from './me.ts'
import { moaRoutes } from './moa.ts'
import { ownTokenRoutes } from './own-tokens.ts'
import { pastRoutes } from './past.ts'
import { sessionExportRoutes } from './session-export.ts'
import { stateRoutes } from './state.ts'
import { teamRoutes } from './team.ts'
import { templateRoutes } from './templates.ts'
import { traceRoutes } from './traces.ts'
import { transcriptRoutes } from './transcripts.ts'
import { workRoutes } from './work.ts'

/** Everything the server answers, but for the files of the page. */
export function routesOf(kit: Kit): readonly Route[] {
  const routes: readonly Route[] = [
    ...stateRoutes(kit),
    ...eventRoutes(kit),
    ...hookRoutes(kit),
    ...traceRoutes(kit),
    ...agentRoutes(kit),
    ...historyRoutes(kit),
    ...pastRoutes(kit),
    ...achievementRoutes(kit),
    ...templateRoutes(kit),
    ...ledgerRoutes(kit),
    ...gatewayRoutes(kit),
    ...moaRoutes(kit),
    ...chatRoutes(kit),
    ...markRoutes(kit),
    ...sessionExportRoutes(kit),
    ...forgetRoutes(kit),
    ...accessRoutes(kit),
    ...authRoutes(kit),
    ...meRoutes(kit),
    ...ownTokenRoutes(kit),
    ...teamRoutes(kit),
    ...transcriptRoutes(kit),
    ...workRoutes(kit),
    ...forwardRoutes(kit),
    ...machineRoutes(kit, () => routes),
  ]
  return routes
}
