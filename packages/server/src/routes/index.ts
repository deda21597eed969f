import type { AppContext } from '../app-context.ts'
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
import { hookRoutes } from './hooks.ts'
import { ledgerRoutes } from './ledger.ts'
import { markRoutes } from './marks.ts'
import { meRoutes } from './me.ts'
import { metricsRoutes } from './metrics.ts'
import { moaRoutes } from './moa.ts'
import { ownTokenRoutes } from './own-tokens.ts'
import { historyRoutes } from './replay.ts'
import { sessionExportRoutes } from './session-export.ts'
import { pastRoutes } from './sessions.ts'
import { stateRoutes } from './state.ts'
import { teamRoutes } from './team.ts'
import { templateRoutes } from './templates.ts'
import { traceRoutes } from './traces.ts'
import { transcriptRoutes } from './transcripts.ts'
import { workRoutes } from './work.ts'

/** All endpoints of the server, except for the files of the page. */
export function createRoutes(context: AppContext): readonly Route[] {
  const routes: readonly Route[] = [
    ...stateRoutes(context),
    ...eventRoutes(context),
    ...hookRoutes(context),
    ...traceRoutes(context),
    ...agentRoutes(context),
    ...historyRoutes(context),
    ...pastRoutes(context),
    ...achievementRoutes(context),
    ...templateRoutes(context),
    ...ledgerRoutes(context),
    ...gatewayRoutes(context),
    ...moaRoutes(context),
    ...chatRoutes(context),
    ...markRoutes(context),
    ...sessionExportRoutes(context),
    ...forgetRoutes(context),
    ...accessRoutes(context),
    ...authRoutes(context),
    ...meRoutes(context),
    ...ownTokenRoutes(context),
    ...teamRoutes(context),
    ...transcriptRoutes(context),
    ...workRoutes(context),
    ...forwardRoutes(context),
    ...metricsRoutes(context, () => routes),
  ]
  return routes
}
