import type { IncomingHttpHeaders } from 'node:http'

const POLICY = [
  "default-src 'self'",
  "script-src 'self'",
  "img-src 'self' data:",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]

/**
 * Security headers for every answer. `host` must be an allowed host: older browsers do not apply `'self'` to
 * WebSockets, so it is named.
 */
export function securityHeaders(
  host: string | undefined,
  styleHash?: string,
  form: 'none' | 'own' = 'none',
): Record<string, string> {
  const sockets = host === undefined ? '' : ` ws://${host} wss://${host}`
  const style = styleHash === undefined ? '' : ` 'sha256-${styleHash}'`
  return {
    'content-security-policy': [
      ...POLICY,
      `form-action ${form === 'own' ? "'self'" : "'none'"}`,
      `connect-src 'self'${sockets}`,
      `style-src 'self'${style}`,
    ].join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    // Without a referrer, a browser sends `Origin: null` with the form of the page.
    'referrer-policy': form === 'own' ? 'same-origin' : 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=(), payment=(), usb=()',
    'cache-control': 'no-store',
  }
}

/** Whether a browser navigates, and so wants a page instead of JSON. */
export const isNavigation = (headers: IncomingHttpHeaders): boolean =>
  headers['sec-fetch-mode'] === 'navigate' || (headers.accept?.includes('text/html') ?? false)
