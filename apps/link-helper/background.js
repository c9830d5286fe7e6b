// Opens the helper: in a tab, since a small window would close when the platform's page is shown.
chrome.action.onClicked.addListener(() => chrome.tabs.create({ url: 'helper.html' }));
