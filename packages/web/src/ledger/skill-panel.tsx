import type { LedgerSkill, SkillUse } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Button } from '../design/button.tsx'
import { Code } from '../design/code.tsx'
import { Glyph, type GlyphName } from '../design/glyph.tsx'
import * as f from '../format.ts'
import { words } from '../words.ts'
import { Failure, None } from './block.tsx'
import { evidencePlace } from './evidence.ts'
import { timeText } from './format.ts'
import { Facts, Part, RowPanel } from './panel-parts.tsx'
import { PlaceLink } from './place-link.tsx'
import { skillUsesQuery } from './queries.ts'
import { Verdict } from './skill-verdict.tsx'

const w = words.ledger.skills
const LONGEST = 160

/** The reason for a skill's verdict, and every use behind it. */
export function SkillPanel(props: {
  readonly name: string
  /** Undefined while skills are loading, or if none has this name. */
  readonly skill: LedgerSkill | undefined
  readonly now: number
  readonly onClose: () => void
}) {
  const { name, skill, now } = props
  const query = useInfiniteQuery(skillUsesQuery(new URLSearchParams({ skill: name }).toString()))
  const uses = query.data?.pages.flatMap((page) => page.uses) ?? []
  const total = query.data?.pages[0]?.total ?? 0
  return (
    <RowPanel
      label={w.panel(toVisibleLine(name, LONGEST))}
      title={toVisibleLine(name, LONGEST)}
      onClose={props.onClose}
    >
      {skill && (
        <>
          <Part title={w.reason}>
            <Verdict skill={skill} />
            <p className="pt-1 text-text-2">{toVisible(skill.reason)}</p>
          </Part>
          <Facts
            facts={[
              [w.facts.uses, f.count(skill.uses)],
              [w.facts.judged, f.count(skill.judged)],
              [w.facts.successes, f.count(skill.successes)],
              [w.facts.all, f.count(skill.all_uses)],
              [w.columns.p50, timeText(skill.p50_ms)],
              [w.columns.p95, timeText(skill.p95_ms)],
            ]}
          />
          <Part title={w.folders}>
            {skill.folders.length === 0 && <p className="text-text-3">{w.noFolder}</p>}
            <ul className="flex flex-col gap-1">
              {skill.folders.map((folder) => (
                <li key={folder}>
                  <Code>{toVisible(folder)}</Code>
                </li>
              ))}
            </ul>
          </Part>
        </>
      )}
      <Part title={w.uses}>
        {query.error !== null && <Failure error={query.error} onRetry={() => void query.refetch()} />}
        {query.data && uses.length === 0 && <None>{w.usesNone}</None>}
        <ul className="-mx-2">
          {uses.map((use) => (
            <Use key={`${use.source} ${use.session_id} ${use.id}`} use={use} now={now} />
          ))}
        </ul>
        {query.hasNextPage && (
          <Button className="mt-2" onClick={() => void query.fetchNextPage({ cancelRefetch: false })}>
            {words.ledger.all(total)}
          </Button>
        )}
      </Part>
    </RowPanel>
  )
}

function describeOutcome({ success }: SkillUse): { readonly glyph: GlyphName; readonly word: string } {
  if (success === null) return { glyph: 'unknown', word: w.open }
  return success ? { glyph: 'done', word: w.worked } : { glyph: 'failed', word: w.didNot }
}

function Use({ use, now }: { readonly use: SkillUse; readonly now: number }) {
  const { glyph, word } = describeOutcome(use)
  const about = [w.how[use.how], use.project, use.duration_ms === null ? null : f.duration(use.duration_ms)]
  return (
    <li>
      <PlaceLink
        // A use recorded on the command line belongs to no agent that Live could show.
        place={evidencePlace(use, use.how === 'recorded' ? null : use.ts)}
        className="flex min-h-8 items-start gap-2 rounded-control px-2 py-1 hover:bg-high touch:min-h-11"
      >
        <span className="pt-0.5">
          <Glyph name={glyph} size={14} />
        </span>
        <span className="min-w-0 flex-1">
          <span className="flex justify-between gap-2">
            {word}
            <span className="text-text-3">{words.ago(use.ts, now)}</span>
          </span>
          <span className="block truncate text-11 text-text-3">
            {about
              .filter((part) => part !== null)
              .map((part) => toVisibleLine(part, LONGEST))
              .join(' · ')}
          </span>
          {use.reason !== null && (
            <span className="block text-11 [overflow-wrap:anywhere] text-text-2">
              {toVisibleLine(use.reason, LONGEST)}
            </span>
          )}
        </span>
      </PlaceLink>
    </li>
  )
}
