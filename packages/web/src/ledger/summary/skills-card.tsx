import type { LedgerSkill, LedgerSkillsReply } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { canChangeFiles, useMe } from '../../api/me.ts'
import { Button } from '../../design/button.tsx'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { Block, moreClass, None } from '../block.tsx'
import { rateText, timeText } from '../format.ts'
import { PlaceLink } from '../place-link.tsx'
import { skillsQuery } from '../queries.ts'
import { type LedgerSearch, toTab } from '../search-params.ts'
import { RateBar, Verdict } from '../skill-verdict.tsx'
import { orderSkills, rateMarks } from './summary-rows.ts'

const w = words.ledger.skills
const FEW = 6
const LONGEST = 60
const ReviewDialog = lazy(() => import('../review-dialog.tsx'))

/** The most relevant skills: success rate, its interval, and the verdict. */
export function SkillsCard({ search, now }: { readonly search: LedgerSearch; readonly now: number }) {
  const query = useQuery(skillsQuery)
  const mayReview = canChangeFiles(useMe())
  const [reviews, setReviews] = useState(false)
  const { data } = query
  return (
    <Block
      title={w.title}
      query={query}
      about={data && data.skills.length > 0 ? formatAbout(data) : undefined}
      lines={6}
      end={
        data &&
        data.skills.length > 0 && (
          <>
            {data.skills.length > FEW && (
              <PlaceLink place={{ to: '/ledger', search: toTab(search, 'skills') }} className={moreClass}>
                {words.ledger.all(data.skills.length)}
              </PlaceLink>
            )}
            {mayReview && <Button onClick={() => setReviews(true)}>{w.review}</Button>}
          </>
        )
      }
    >
      {(reply) => (
        <>
          {reply.skills.length === 0 ? (
            <None>{w.none}</None>
          ) : (
            <Table reply={reply} search={search} now={now} />
          )}
          {reviews && (
            <Suspense>
              <ReviewDialog onClose={() => setReviews(false)} />
            </Suspense>
          )}
        </>
      )}
    </Block>
  )
}

const formatAbout = (reply: LedgerSkillsReply): string => {
  const [low, high] = rateMarks(reply).map((share) => Math.round(share * 100))
  return w.about(reply.window_days, low ?? 0, high ?? 0)
}

function Table(props: {
  readonly reply: LedgerSkillsReply
  readonly search: LedgerSearch
  readonly now: number
}) {
  const { reply, now } = props
  const marks = rateMarks(reply)
  const end = 'py-[5px] pr-4 text-right font-normal whitespace-nowrap'
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
    <section tabIndex={0} aria-label={w.table} className="-mx-1 overflow-x-auto px-1">
      <table className="w-full text-12">
        <thead>
          <tr className="border-b border-line text-11 text-text-3">
            <th scope="col" className="py-[5px] pr-4 text-left font-normal">
              {w.columns.skill}
            </th>
            <th scope="col" className={`${end} max-desk:hidden`}>
              {w.columns.uses}
            </th>
            <th scope="col" className={end}>
              {w.columns.success}
            </th>
            <th scope="col" className="w-[22%] min-w-20 py-[5px] pr-4">
              <span className="sr-only">{w.columns.interval}</span>
            </th>
            <th scope="col" className={`${end} max-desk:hidden`}>
              {w.columns.p50}
            </th>
            <th scope="col" className="py-[5px] pr-4 text-left font-normal whitespace-nowrap max-desk:hidden">
              {w.columns.used}
            </th>
            <th scope="col" className="py-[5px] text-left font-normal">
              {w.columns.verdict}
            </th>
          </tr>
        </thead>
        <tbody>
          {orderSkills(reply.skills)
            .slice(0, FEW)
            .map((skill) => (
              <Row key={skill.skill} skill={skill} marks={marks} search={props.search} now={now} />
            ))}
        </tbody>
      </table>
    </section>
  )
}

function Row(props: {
  readonly skill: LedgerSkill
  readonly marks: readonly number[]
  readonly search: LedgerSearch
  readonly now: number
}) {
  const { skill, now } = props
  const end = 'py-[5px] pr-4 text-right whitespace-nowrap'
  return (
    <tr className="border-b border-line last:border-0">
      <th scope="row" className="max-w-44 py-[5px] pr-4 text-left">
        <PlaceLink
          place={{ to: '/ledger', search: { ...toTab(props.search, 'skills'), skill: skill.skill } }}
          className="block truncate font-semibold hover:underline touch:py-3"
          title={toVisibleLine(skill.skill, 4 * LONGEST)}
        >
          {toVisibleLine(skill.skill, LONGEST)}
        </PlaceLink>
      </th>
      <td className={`${end} max-desk:hidden`}>{f.shortCount(skill.uses)}</td>
      <td className={`${end} font-semibold`}>{rateText(skill.rate)}</td>
      <td className="py-[5px] pr-4">
        <RateBar skill={skill} marks={props.marks} />
      </td>
      <td className={`${end} text-text-2 max-desk:hidden`}>{timeText(skill.p50_ms)}</td>
      <td className="py-[5px] pr-4 whitespace-nowrap text-text-2 max-desk:hidden">
        {skill.last_used === null ? w.never : words.ago(skill.last_used, now)}
      </td>
      <td className="py-[5px] whitespace-nowrap">
        <Verdict skill={skill} />
      </td>
    </tr>
  )
}
