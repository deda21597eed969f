/** Browsers by a token in their user agent. Those whose user agent also contains another one's token come first. */
const PRODUCTS: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\bFirefox\/|\bFxiOS\//, 'Firefox'],
  [/\bChrom(?:e|ium)\/|\bCriOS\/|\bHeadlessChrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
]

/** Describes a browser, such as "Firefox on Linux". No part of the user agent itself is passed on. */
export function browserName(userAgent = ''): string {
  const product = nameIn(PRODUCTS, userAgent) ?? 'Another program'
  const system = nameIn(SYSTEMS, userAgent)
  return system === undefined ? product : `${product} on ${system}`
}

const nameIn = (names: typeof PRODUCTS, text: string): string | undefined =>
  names.find(([pattern]) => pattern.test(text))?.[1]
