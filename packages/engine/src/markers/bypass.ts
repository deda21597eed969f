/** Parses from the environment which kinds of events must not be recorded. */
export interface Bypass {
  readonly claims: boolean
  readonly skills: boolean
}

export const bypassIn = (env: Readonly<Record<string, string | undefined>>): Bypass => ({
  claims: isSet(env.NUMERIC_CLAIMS_RECORD_BYPASS),
  skills: isSet(env.SKILL_RECORD_BYPASS),
})

const isSet = (value: string | undefined): boolean => value !== undefined && value !== '' && value !== '0'
