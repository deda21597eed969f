import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useIsTeam } from '../api/me.ts'
import { healthQuery, sourcesQuery } from '../api/queries.ts'
import { Page } from '../shell/page.tsx'
import { words } from '../words.ts'
import { AboutBlock } from './about.tsx'
import { AppearanceBlock } from './appearance.tsx'
import { BudgetsBlock } from './budgets.tsx'
import { ProvidersBlock, SourcesBlock } from './found-rows.tsx'
import { HealthBlock } from './health.tsx'
import { NotificationsBlock } from './notifications.tsx'
import { SectionList } from './section-list.tsx'
import { StorageBlock } from './storage.tsx'
import { TeamBlock } from './team/team.tsx'
import { TokensBlock } from './tokens.tsx'
import { useSpy } from './use-spy.ts'

export default function SettingsPage() {
  const [box, setBox] = useState<HTMLDivElement | null>(null)
  const { current, onScroll, goTo } = useSpy(box)
  const trouble = useTrouble()
  const isTeam = useIsTeam()
  const count = trouble && Object.values(trouble).reduce((sum, part) => sum + part, 0)
  return (
    <Page title={words.settings.title} {...(count === undefined ? {} : { sub: words.settings.toFix(count) })}>
      <div className="mx-auto flex min-h-0 w-full max-w-242 flex-1 px-4 max-desk:flex-col desk:gap-8">
        <SectionList current={current} trouble={trouble ?? {}} onPick={goTo} />
        <div
          ref={setBox}
          onScroll={onScroll}
          className="relative min-h-0 min-w-0 flex-1 overflow-y-auto pt-4 desk:-mr-4 desk:pr-4"
        >
          <div className="max-w-180">
            <SourcesBlock />
            <ProvidersBlock />
            <BudgetsBlock />
            <NotificationsBlock />
            <StorageBlock />
            {isTeam === true && <TeamBlock />}
            {isTeam === false && <TokensBlock />}
            <HealthBlock />
            <AppearanceBlock />
            <AboutBlock />
          </div>
        </div>
      </div>
    </Page>
  )
}

/** How much there is to fix in each section; undefined until it is known. */
function useTrouble() {
  const sources = useQuery(sourcesQuery).data?.sources
  const checks = useQuery(healthQuery).data?.checks
  if (!sources || !checks) return undefined
  const unreadable = (kind: 'agent' | 'provider') =>
    sources.filter((source) => source.kind === kind && source.state === 'unreadable').length
  return {
    sources: unreadable('agent'),
    providers: unreadable('provider'),
    health: checks.filter((check) => check.state === 'failed').length,
  }
}
