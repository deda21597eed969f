import { describe, expect, it } from 'vitest'
import { markup } from './markup.ts'
import { redactText } from './text.ts'

// Invented bodies that no scanner takes for real keys.
const BODIES = {
  mixed: 'aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0z',
  hex: '0123456789abcdef',
  lower: 'a3b5c7d9e1f2',
  upper: 'A3B5C7D9E1F2',
} as const
const body = (kind: keyof typeof BODIES, length: number) => BODIES[kind].repeat(9).slice(0, length)

/**
 * Every known beginning of a key, with the least number of characters after it. This list is independent of
 * the product's.
 */
const BEGINNINGS: readonly (readonly [label: string, keyof typeof BODIES, length: number, text: string])[] = [
  ['github-token', 'mixed', 20, 'ghp_ gho_ ghu_ ghs_ ghr_'],
  ['github-token', 'mixed', 20, 'github_pat_'],
  [
    'gitlab-token',
    'mixed',
    16,
    'glpat- glptt- gldt- glrt- glrtr- glcbt- glft- glimt- glagent- glsoat- glffct- gloas-',
  ],
  ['atlassian-token', 'mixed', 50, 'ATATT3 ATCTT3'],
  ['atlassian-token', 'mixed', 28, 'ATBB'],
  ['npm-token', 'mixed', 30, 'npm_'],
  ['pypi-token', 'mixed', 50, 'pypi-Ag'],
  ['rubygems-token', 'hex', 48, 'rubygems_'],
  ['nuget-key', 'lower', 43, 'oy2'],
  ['clojars-token', 'hex', 60, 'CLOJARS_'],
  ['docker-token', 'mixed', 20, 'dckr_pat_ dckr_oat_'],
  ['artifactory-key', 'mixed', 60, 'AKCp'],
  ['artifactory-key', 'mixed', 50, 'cmVmdGtu'],
  ['buildkite-token', 'mixed', 30, 'bkua_ bkct_'],
  ['circleci-token', 'mixed', 30, 'CCIPAT_ CCIPRJ_'],
  ['sonar-token', 'hex', 40, 'squ_ sqp_ sqa_'],
  ['sourcegraph-token', 'mixed', 40, 'sgp_'],
  ['postman-key', 'mixed', 40, 'PMAK-'],
  ['aws-key', 'upper', 16, 'ASIA ABIA ACCA'],
  ['aws-key', 'mixed', 60, 'ABSKQmVkcm9ja'],
  ['google-key', 'mixed', 30, 'AIza'],
  ['google-token', 'mixed', 20, 'ya29.'],
  ['google-token', 'mixed', 35, '1//0'],
  ['google-secret', 'mixed', 20, 'GOCSPX-'],
  ['google-key', 'mixed', 100, 'APA91b'],
  ['alibaba-key', 'mixed', 16, 'LTAI'],
  ['digitalocean-token', 'hex', 64, 'dop_v1_ doo_v1_ dor_v1_'],
  ['cloudflare-token', 'mixed', 36, 'cfut_ cfat_ cfk_'],
  ['heroku-key', 'mixed', 36, 'HRKU-'],
  ['vercel-token', 'mixed', 20, 'vcp_ vci_ vca_ vcr_ vck_ vercel_blob_rw_'],
  ['netlify-token', 'mixed', 32, 'nfp_ nfc_ nfo_ nfb_ nfu_'],
  ['fly-token', 'mixed', 40, 'fm1a_ fm1r_ fm2_ fo1_'],
  ['render-key', 'mixed', 28, 'rnd_'],
  ['supabase-key', 'hex', 40, 'sbp_'],
  ['supabase-key', 'mixed', 20, 'sb_secret_'],
  ['planetscale-token', 'mixed', 30, 'pscale_tkn_ pscale_pw_ pscale_oauth_'],
  ['neon-key', 'mixed', 40, 'napi_'],
  ['vault-token', 'mixed', 24, 'hvs. hvb. hvr.'],
  ['doppler-token', 'mixed', 40, 'dp.st. dp.pt. dp.ct. dp.sa. dp.said. dp.scim. dp.audit.'],
  ['pulumi-token', 'hex', 40, 'pul-'],
  ['tailscale-key', 'mixed', 16, 'tskey-'],
  ['databricks-token', 'hex', 32, 'dapi'],
  ['dynatrace-token', 'mixed', 80, 'dt0c01. dt0s01. dt0s16.'],
  ['grafana-token', 'mixed', 40, 'glsa_'],
  ['grafana-token', 'mixed', 32, 'glc_'],
  ['newrelic-key', 'upper', 27, 'NRAK-'],
  ['sentry-token', 'mixed', 40, 'sntrys_ sntryu_'],
  ['onepassword-token', 'mixed', 100, 'ops_eyJ'],
  ['age-key', 'upper', 58, 'AGE-SECRET-KEY-1'],
  ['slack-token', 'mixed', 10, 'xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-'],
  ['sendinblue-key', 'mixed', 60, 'xkeysib- xsmtpsib-'],
  ['mailgun-key', 'hex', 32, 'key-'],
  ['twilio-key', 'hex', 32, 'SK'],
  ['dropbox-token', 'mixed', 120, 'sl.'],
  ['linear-key', 'mixed', 32, 'lin_api_ lin_oauth_ lin_wh_'],
  ['notion-token', 'mixed', 43, 'secret_'],
  ['notion-token', 'mixed', 40, 'ntn_'],
  ['figma-token', 'mixed', 40, 'figd_ figu_'],
  ['hubspot-token', 'mixed', 36, 'pat-na1- pat-na2- pat-eu1- pat-ap1-'],
  ['contentful-token', 'mixed', 40, 'CFPAT-'],
  ['typeform-token', 'mixed', 40, 'tfp_'],
  ['mapbox-token', 'mixed', 50, 'sk.eyJ'],
  ['stripe-key', 'mixed', 16, 'sk_live_ sk_test_ rk_live_ rk_test_ sk_org_'],
  ['webhook-secret', 'mixed', 20, 'whsec_'],
  ['shopify-token', 'hex', 32, 'shpat_ shpca_ shppa_ shpss_ shptka_'],
  ['square-token', 'mixed', 22, 'sq0atp- sq0csp-'],
  ['braintree-token', 'mixed', 20, 'access_token$production$ access_token$sandbox$'],
  ['plaid-token', 'mixed', 36, 'access-production- access-sandbox- access-development-'],
  ['wallet-key', 'mixed', 100, 'xprv'],
  ['nostr-key', 'lower', 58, 'nsec1'],
  ['huggingface-token', 'mixed', 28, 'hf_'],
  ['groq-key', 'mixed', 28, 'gsk_'],
  ['xai-key', 'mixed', 28, 'xai-'],
  ['replicate-token', 'mixed', 37, 'r8_'],
  ['perplexity-key', 'mixed', 32, 'pplx-'],
  ['nvidia-key', 'mixed', 40, 'nvapi-'],
  ['cerebras-key', 'mixed', 32, 'csk-'],
  ['together-key', 'mixed', 32, 'tgp_v1_'],
  ['pinecone-key', 'mixed', 32, 'pcsk_'],
  ['langsmith-key', 'mixed', 32, 'lsv2_pt_ lsv2_sk_'],
  ['tavily-key', 'mixed', 24, 'tvly-'],
  ['firecrawl-key', 'hex', 32, 'fc-'],
  ['elevenlabs-key', 'hex', 48, 'sk_'],
  ['e2b-key', 'hex', 40, 'e2b_'],
  ['openai-key', 'mixed', 40, 'sess-'],
  ['panoptes-token', 'mixed', 20, 'pn_full_ pn_ing_ pn_gw_'],
  ['webhook', 'mixed', 20, 'hooks.slack.com/services/ hooks.slack.com/workflows/ hooks.slack.com/triggers/'],
]

describe('a key of a known service', () => {
  it.each(BEGINNINGS)('is replaced as %s', (label, kind, length, beginnings) => {
    for (const beginning of beginnings.split(' ')) {
      const key = `${beginning}${body(kind, length)}`
      expect(redactText(`use ${key} here`), beginning).toEqual({
        text: `use [redacted:${label}] here`,
        removed: 1,
      })
    }
  })

  it.each([
    ['anthropic-key', 'sk-ant-'],
    ['openai-key', 'sk-proj-'],
    ['openai-key', 'sk-svcacct-'],
    ['openrouter-key', 'sk-or-'],
    ['langfuse-key', 'sk-lf-'],
  ])('is replaced as %s when it begins with %s', (label, beginning) => {
    expect(redactText(`use ${beginning}${body('mixed', 16)} here`).text).toBe(`use [redacted:${label}] here`)
    expect(redactText(`use ${beginning}${'word-'.repeat(2)} here`).removed).toBe(0)
  })
})

describe('a value with a secret name', () => {
  it.each([
    ...['password', 'passwd', 'passphrase', 'pwd', 'db_pass', 'db-pass'].map((name) => ['password', name]),
    ...['secret', 'credential', 'private_key', 'encryption_key', 'signing_key', 'master_key'].map((name) => [
      'secret',
      name,
    ]),
    ['token', 'token'],
    ...['api_key', 'api-key', 'apikey', 'access_key', 'app_key', 'account_key', 'auth_key', 'npm_auth'].map(
      (name) => ['api-key', name],
    ),
    ['signature', 'x-amz-signature'],
    ['signature', 'x-goog-signature'],
  ])('is replaced as %s: %s', (label, name) => {
    expect(redactText(`${name}=aB3dE5gH7jK9`).text).toBe(`${name}=[redacted:${label}]`)
    expect(redactText(`{"${name.toUpperCase()}": "aB3dE5gH7jK9"}`).text).toContain(`[redacted:${label}]`)
  })
})

it('escapes text for HTML content and attributes', () => {
  expect(markup(`<a href="x" title='y'>&amp;</a>`)).toBe(
    '&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;',
  )
})
