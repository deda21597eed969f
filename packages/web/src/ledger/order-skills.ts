import type { LedgerSkill } from '@panoptes/schema'

/** Sorts skills that need attention first, then by use. */
export const orderSkills = (skills: readonly LedgerSkill[]): readonly LedgerSkill[] =>
  skills.toSorted(
    (a, b) =>
      Number(b.verdict === 're-extract') - Number(a.verdict === 're-extract') ||
      b.uses - a.uses ||
      b.all_uses - a.all_uses ||
      a.skill.localeCompare(b.skill),
  )

type Rules = { readonly validated_over_rate: number; readonly re_extract_under_rate: number }

const USUAL: Rules = { re_extract_under_rate: 0.6, validated_over_rate: 0.9 }

/** The success rates at which the verdict changes, the lower one first. */
export const rateMarks = ({
  rules = USUAL,
}: {
  readonly rules?: Rules | undefined
}): readonly [number, number] => [rules.re_extract_under_rate, rules.validated_over_rate]
